/** Draws where things have been: the tracks of a store's points, and tracks that are given. */

import { themeColor } from '../theme';
import { CanvasLayer, type Frame } from './canvas-layer';
import type { Points } from './points';

/** Tracks of all points are drawn up to so many points; beyond, only that of the chosen one. */
const ALL_UP_TO = 300;

export class TracksLayer extends CanvasLayer {
  /** World coordinates x, y, x, y … of each track that is given. */
  given: readonly (readonly number[])[] = [];
  chosen: string | null = null;

  constructor(private readonly points: Points | null) {
    super('tracks', 440);
  }

  protected draw(frame: Frame): void {
    const context = this.cleared(frame);
    context.lineJoin = 'round';
    context.lineWidth = 1.5;
    context.strokeStyle = themeColor('--accent');
    context.globalAlpha = 0.8;
    for (const track of this.given) stroke(context, frame, track);
    if (!this.points) return;
    context.globalAlpha = 0.3;
    if (this.points.count <= ALL_UP_TO)
      for (let slot = 0; slot < this.points.count; slot++) stroke(context, frame, this.points.trackOf(slot));
    const slot = this.chosen === null ? undefined : this.points.slotOf(this.chosen);
    if (slot === undefined) return;
    context.globalAlpha = 1;
    context.lineWidth = 2.5;
    stroke(context, frame, this.points.trackOf(slot));
  }
}

function stroke(context: CanvasRenderingContext2D, frame: Frame, track: readonly number[]): void {
  if (track.length < 4) return;
  context.beginPath();
  for (let index = 0; index < track.length; index += 2) {
    const x = track[index]! * frame.scale - frame.originX;
    const y = track[index + 1]! * frame.scale - frame.originY;
    if (index) context.lineTo(x, y);
    else context.moveTo(x, y);
  }
  context.stroke();
}
