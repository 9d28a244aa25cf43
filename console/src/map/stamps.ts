/** Many equal discs put straight into the pixels of an image: as quick with thousands as with one. */

/** A disc with a rim, as pixels; opaque in the middle and smooth at the edge. */
export interface Stamp {
  size: number;
  pixels: Uint32Array;
}

export type Rgb = readonly [number, number, number];

/** A disc of a radius in device pixels, of one colour with a rim of another. */
export function discStamp(radius: number, colour: Rgb, rim: Rgb): Stamp {
  const size = Math.ceil(2 * radius + 2);
  const pixels = new Uint32Array(size * size);
  const middle = (size - 1) / 2;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const distance = Math.hypot(x - middle, y - middle);
      const cover = clamp(radius + 0.5 - distance);
      const inner = clamp(radius - 1.2 + 0.5 - distance);
      pixels[y * size + x] = packed(mixed(rim, colour, inner), cover);
    }
  }
  return { size, pixels };
}

/** Puts a stamp with its middle at a place; the more opaque pixel wins, so that overlapping discs stay whole. */
export function put(
  image: Uint32Array,
  width: number,
  height: number,
  stamp: Stamp,
  x: number,
  y: number,
): void {
  const { size, pixels } = stamp;
  const left = Math.round(x - size / 2);
  const top = Math.round(y - size / 2);
  if (left < 0 || top < 0 || left + size > width || top + size > height) return;
  for (let row = 0; row < size; row++) {
    let at = (top + row) * width + left;
    for (let column = row * size; column < (row + 1) * size; column++, at++) {
      const pixel = pixels[column]!;
      if (pixel >>> 24 >= image[at]! >>> 24) image[at] = pixel;
    }
  }
}

/** The colour of a text such as `rgb(51, 70, 196)`. */
export function rgbOf(text: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

function mixed(one: Rgb, other: Rgb, share: number): Rgb {
  return [0, 1, 2].map((index) => one[index]! + share * (other[index]! - one[index]!)) as unknown as Rgb;
}

/** Red first in memory, which is the lowest byte of the word. */
function packed([red, green, blue]: Rgb, cover: number): number {
  if (cover === 0) return 0;
  return (
    ((Math.round(cover * 255) << 24) |
      (Math.round(blue) << 16) |
      (Math.round(green) << 8) |
      Math.round(red)) >>>
    0
  );
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
