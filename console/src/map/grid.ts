/** Lines of a grid: round numbers with enough room between them. */

/** The smallest of 1, 2, 5, 10 … (or of the steps of a circle) that leaves `room` between two lines. */
export function stepFor(perPixel: number, room: number, isGlobe: boolean): number {
  const least = perPixel * room;
  if (isGlobe && least > 2) return [5, 10, 15, 30, 45, 90].find((each) => each >= least) ?? 90;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((each) => each * power >= least * 0.999_999) ?? 10);
}

/** The multiples of a step between two numbers. */
export function multiples(step: number, low: number, high: number): number[] {
  const found: number[] = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let index = first; index * step <= high && found.length < 200; index++) {
    found.push(Number((index * step).toPrecision(12)));
  }
  return found;
}

/** A coordinate as the edge of the map says it. */
export function gridLabel(value: number, axis: 'x' | 'y', isGlobe: boolean): string {
  if (!isGlobe) return String(value);
  const turned = axis === 'x' ? ((((value + 180) % 360) + 360) % 360) - 180 : value;
  const side = axis === 'x' ? (turned < 0 ? 'W' : 'E') : turned < 0 ? 'S' : 'N';
  return `${Number(Math.abs(turned).toPrecision(8))}°${turned === 0 ? '' : side}`;
}
