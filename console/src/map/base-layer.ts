/** What lies below everything: land and borders of the world, or nothing on a plane, and a grid. */

import L from 'leaflet';
import { themeColor } from '../theme';
import { CanvasLayer, worldOf, type Frame } from './canvas-layer';
import { clipRing } from './clipping';
import type { Projection } from './geometry';
import { gridLabel, multiples, stepFor } from './grid';
import type { World } from './world';

interface Line {
  points: Float64Array;
  box: [number, number, number, number];
}

const MARGIN = 20;
const ROOM = 130;

export class BaseLayer extends CanvasLayer {
  private land: Line[] = [];
  private borders: Line[] = [];

  constructor(
    private readonly projection: Projection,
    private readonly hasTiles: boolean,
  ) {
    super('base', 150);
  }

  /** Shows the land of the world from now on. */
  setWorld(world: World, crs: L.CRS): void {
    const lineOf = (ring: readonly number[][]): Line => projected(ring, crs);
    this.land = world.land.map(lineOf);
    this.borders = world.borders.map(lineOf);
    this.canvas.dataset.land = String(this.land.length);
    this.redraw();
  }

  protected draw(frame: Frame): void {
    const context = this.cleared(frame);
    if (!this.hasTiles) {
      context.fillStyle = themeColor('--map-water');
      context.fillRect(0, 0, frame.width, frame.height);
      if (this.projection === 'globe') this.drawWorld(context, frame);
    }
    this.drawGrid(context, frame);
  }

  private drawWorld(context: CanvasRenderingContext2D, frame: Frame): void {
    const pane = { left: -MARGIN, top: -MARGIN, right: frame.width + MARGIN, bottom: frame.height + MARGIN };
    context.fillStyle = themeColor('--map-land');
    context.strokeStyle = themeColor('--map-coast');
    context.lineWidth = 1;
    context.lineJoin = 'round';
    context.beginPath();
    for (const line of this.land) {
      if (isSeen(line, frame)) trace(context, clipRing(placed(line, frame), pane), true);
    }
    context.fill('evenodd');
    context.stroke();
    context.strokeStyle = themeColor('--map-border');
    context.beginPath();
    for (const line of this.borders) if (isSeen(line, frame)) traceNear(context, placed(line, frame), pane);
    context.stroke();
  }

  private drawGrid(context: CanvasRenderingContext2D, frame: Frame): void {
    const map = this.map!;
    const isGlobe = this.projection === 'globe';
    const bounds = map.getBounds();
    const [west, east] = [bounds.getWest(), bounds.getEast()];
    const step = stepFor((east - west) / frame.width, ROOM, isGlobe);
    const south = isGlobe ? Math.max(-85, bounds.getSouth()) : bounds.getSouth();
    const north = isGlobe ? Math.min(85, bounds.getNorth()) : bounds.getNorth();
    context.strokeStyle = themeColor('--map-grid');
    context.fillStyle = themeColor('--muted');
    context.font = '10.5px system-ui, sans-serif';
    context.lineWidth = 1;
    context.beginPath();
    for (const x of multiples(step, west, east)) {
      const at = Math.round(map.latLngToContainerPoint([south, x]).x) + 0.5;
      context.moveTo(at, 0);
      context.lineTo(at, frame.height);
      if (at > 125 && at < frame.width - 48)
        context.fillText(gridLabel(x, 'x', isGlobe), at + 4, frame.height - 6);
    }
    for (const y of multiples(step, south, north)) {
      const at = Math.round(map.latLngToContainerPoint([y, west]).y) + 0.5;
      context.moveTo(0, at);
      context.lineTo(frame.width, at);
      if (at < frame.height - 24) context.fillText(gridLabel(y, 'y', isGlobe), frame.width - 46, at - 4);
    }
    context.stroke();
  }
}

function projected(ring: readonly number[][], crs: L.CRS): Line {
  const points = new Float64Array(2 * ring.length);
  const box: Line['box'] = [Infinity, Infinity, -Infinity, -Infinity];
  ring.forEach(([longitude = 0, latitude = 0], index) => {
    const [x, y] = worldOf(crs, longitude, latitude);
    points[2 * index] = x;
    points[2 * index + 1] = y;
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  });
  return { points, box };
}

function isSeen({ box }: Line, frame: Frame): boolean {
  return (
    box[2] * frame.scale >= frame.originX &&
    box[0] * frame.scale <= frame.originX + frame.width &&
    box[3] * frame.scale >= frame.originY &&
    box[1] * frame.scale <= frame.originY + frame.height
  );
}

function placed({ points }: Line, frame: Frame): Float64Array {
  const places = new Float64Array(points.length);
  for (let index = 0; index < points.length; index += 2) {
    places[index] = points[index]! * frame.scale - frame.originX;
    places[index + 1] = points[index + 1]! * frame.scale - frame.originY;
  }
  return places;
}

function trace(context: CanvasRenderingContext2D, points: readonly number[], isClosed: boolean): void {
  for (let index = 0; index < points.length; index += 2) {
    if (index) context.lineTo(points[index]!, points[index + 1]!);
    else context.moveTo(points[index]!, points[index + 1]!);
  }
  if (isClosed && points.length) context.closePath();
}

/** The edges of a line that come near the canvas. */
function traceNear(
  context: CanvasRenderingContext2D,
  points: Float64Array,
  pane: { left: number; top: number; right: number; bottom: number },
): void {
  let isDrawing = false;
  for (let index = 2; index < points.length; index += 2) {
    const [x0, y0, x1, y1] = [points[index - 2]!, points[index - 1]!, points[index]!, points[index + 1]!];
    const isNear =
      Math.max(x0, x1) >= pane.left &&
      Math.min(x0, x1) <= pane.right &&
      Math.max(y0, y1) >= pane.top &&
      Math.min(y0, y1) <= pane.bottom;
    if (isNear && !isDrawing) context.moveTo(x0, y0);
    if (isNear) context.lineTo(x1, y1);
    isDrawing = isNear;
  }
}
