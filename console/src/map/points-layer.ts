/** Draws all points of a store, moving, in every frame of the screen as long as anything moves. */

import type L from 'leaflet';
import { themeColor } from '../theme';
import { CanvasLayer, type Frame } from './canvas-layer';
import { MOST_POINTS, type Points } from './points';
import { discStamp, put, rgbOf, type Stamp } from './stamps';

/** Colours of kinds of points, in turn. */
export const KIND_COLOURS = ['--accent', '--ok', '--code-type', '--warn', '--muted'] as const;
const RADIUS = 4;
const PICK = 9;

export class PointsLayer extends CanvasLayer {
  /** How long drawing took in the last frames, in milliseconds, newest last. */
  readonly costs: number[] = [];
  private stamps: Stamp[] = [];
  private image: ImageData | null = null;
  private readonly places = new Float32Array(2 * MOST_POINTS);
  private asked = 0;
  private drawn = -1;

  constructor(private readonly points: Points) {
    super('points', 450);
  }

  override onRemove(map: L.Map): this {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
    return super.onRemove(map);
  }

  /** The store or the theme changed; frames are drawn until all is at rest. */
  wake(): void {
    if (!this.asked && this.map) this.asked = requestAnimationFrame(() => this.step());
  }

  recolour(): void {
    this.stamps = [];
    this.redraw();
  }

  /** The key of the point nearest to a place on the map, within a few pixels. */
  keyAt(x: number, y: number): string | null {
    let best: string | null = null;
    let nearest = PICK * PICK;
    for (let slot = 0; slot < this.points.count; slot++) {
      const [dx, dy] = [this.places[2 * slot]! - x, this.places[2 * slot + 1]! - y];
      const distance = dx * dx + dy * dy;
      if (distance <= nearest) {
        nearest = distance;
        best = this.points.keys[slot]!;
      }
    }
    return best;
  }

  private step(): void {
    this.asked = 0;
    this.redraw();
    const isMoving = performance.now() < this.points.restsAt;
    if (isMoving || this.drawn !== this.points.changes) this.wake();
  }

  protected draw(frame: Frame): void {
    const begin = performance.now();
    this.drawn = this.points.changes;
    if (!this.stamps.length) this.stamps = this.makeStamps(frame.ratio);
    const { width, height } = this.canvas;
    const context = this.canvas.getContext('2d')!;
    if (this.image?.width !== width || this.image.height !== height)
      this.image = new ImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    this.points.place(this.places, begin, frame.scale, frame.originX, frame.originY);
    const { kinds, count } = this.points;
    for (let slot = 0; slot < count; slot++) {
      const stamp = this.stamps[kinds[slot]! % this.stamps.length]!;
      put(
        pixels,
        width,
        height,
        stamp,
        this.places[2 * slot]! * frame.ratio,
        this.places[2 * slot + 1]! * frame.ratio,
      );
    }
    context.putImageData(this.image, 0, 0);
    this.note(performance.now() - begin);
  }

  private makeStamps(ratio: number): Stamp[] {
    const rim = rgbOf(themeColor('--surface'));
    return KIND_COLOURS.map((name) => discStamp(RADIUS * ratio, rgbOf(themeColor(name)), rim));
  }

  private note(cost: number): void {
    this.costs.push(cost);
    if (this.costs.length > 240) this.costs.shift();
    const { dataset } = this.canvas;
    dataset.points = String(this.points.count);
    dataset.frames = String(Number(dataset.frames ?? 0) + 1);
    dataset.cost = middle(this.costs).toFixed(2);
  }
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
