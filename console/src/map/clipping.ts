/** Rings cut to a box (Sutherland and Hodgman), so that a coast drawn from near has small coordinates. */

export interface Pane {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Flat lists x, y, x, y … cut to the box; empty where nothing of the ring is inside. */
export function clipRing(ring: ArrayLike<number>, pane: Pane): number[] {
  let points = cut(ring, 0, pane.left, 1);
  points = cut(points, 0, pane.right, -1);
  points = cut(points, 1, pane.top, 1);
  return cut(points, 1, pane.bottom, -1);
}

/** What lies on one side of a line: `axis` 0 for x, 1 for y; `sign` 1 keeps what is larger. */
function cut(points: ArrayLike<number>, axis: 0 | 1, bound: number, sign: 1 | -1): number[] {
  const kept: number[] = [];
  const count = points.length;
  if (count < 4) return kept;
  let x0 = points[count - 2]!;
  let y0 = points[count - 1]!;
  let inside0 = sign * ((axis === 0 ? x0 : y0) - bound) >= 0;
  for (let index = 0; index < count; index += 2) {
    const x1 = points[index]!;
    const y1 = points[index + 1]!;
    const inside1 = sign * ((axis === 0 ? x1 : y1) - bound) >= 0;
    if (inside0 !== inside1) {
      const share = axis === 0 ? (bound - x0) / (x1 - x0) : (bound - y0) / (y1 - y0);
      kept.push(x0 + share * (x1 - x0), y0 + share * (y1 - y0));
    }
    if (inside1) kept.push(x1, y1);
    x0 = x1;
    y0 = y1;
    inside0 = inside1;
  }
  return kept;
}
