/** Draws lanes of items, spans and the watermark on a canvas; what falls on one pixel is drawn once. */

import { scaleTime } from 'd3-scale';
import { themeColor } from '../theme';
import { clockOf, dateOf } from './instants';
import { firstFrom, longestOf, type Lane, type TimelineItem, type TimelineSpan } from './lanes';
import type { View } from './view';

export const AXIS = 26;
export const LANE = 24;
const DOT = 4;
const FONT = '11px system-ui, sans-serif';

const COLOURS = {
  text: '--text',
  muted: '--muted',
  line: '--border',
  surface: '--surface',
  event: '--accent',
  member: '--accent',
  match: '--ring',
  late: '--warn',
  window: '--code-type',
  absent: '--bad',
  watermark: '--ok',
} as const;

export type Palette = Record<keyof typeof COLOURS, string>;

/** The colours of the theme as it is now. */
export function palette(): Palette {
  const names = Object.keys(COLOURS) as (keyof typeof COLOURS)[];
  return Object.fromEntries(names.map((name) => [name, themeColor(COLOURS[name])])) as Palette;
}

/** Where things are: sizes in CSS pixels, the gutter that holds the names of lanes, and how far it is scrolled. */
export interface Layout {
  width: number;
  height: number;
  gutter: number;
  scrolled: number;
  view: View;
}

export interface Picture {
  lanes: readonly Lane[];
  spans: readonly TimelineSpan[];
  watermark: number | null;
  selected: string | null;
}

/** The horizontal place of an instant. */
export function placeOf(layout: Layout, instant: number): number {
  const [from, to] = layout.view;
  return layout.gutter + ((instant - from) / (to - from)) * (layout.width - layout.gutter);
}

/** The instant at a horizontal place. */
export function instantAt(layout: Layout, x: number): number {
  const [from, to] = layout.view;
  return from + ((x - layout.gutter) / (layout.width - layout.gutter)) * (to - from);
}

/** The top of a lane on the canvas. */
function topOf(layout: Layout, index: number): number {
  return AXIS + index * LANE - layout.scrolled;
}

/** The item at a place, the nearest within a few pixels. */
export function itemAt(lanes: readonly Lane[], layout: Layout, x: number, y: number): TimelineItem | null {
  if (y < AXIS || x < layout.gutter) return null;
  const lane = lanes[Math.floor((y - AXIS + layout.scrolled) / LANE)];
  if (!lane) return null;
  const reach = 7;
  const low = instantAt(layout, x - reach) - longestOf(lane);
  const high = instantAt(layout, x + reach);
  let best: TimelineItem | null = null;
  let nearest = reach;
  for (let index = firstFrom(lane.items, low); index < lane.items.length; index++) {
    const item = lane.items[index]!;
    if (item.start > high) break;
    const from = placeOf(layout, item.start);
    const to = placeOf(layout, item.end);
    const distance = x < from ? from - x : x > to ? x - to : 0;
    if (distance <= nearest) {
      nearest = distance;
      best = item;
    }
  }
  return best;
}

/** Draws the whole picture; returns how many marks were drawn. */
export function draw(
  context: CanvasRenderingContext2D,
  layout: Layout,
  picture: Picture,
  palette: Palette,
): number {
  context.clearRect(0, 0, layout.width, layout.height);
  context.font = FONT;
  context.textBaseline = 'middle';
  drawGrid(context, layout, picture, palette);
  context.save();
  context.beginPath();
  context.rect(layout.gutter, AXIS, layout.width - layout.gutter, layout.height - AXIS);
  context.clip();
  for (const span of picture.spans) drawSpan(context, layout, picture, palette, span);
  let marks = 0;
  picture.lanes.forEach((lane, index) => {
    const top = topOf(layout, index);
    if (top + LANE > AXIS && top < layout.height) {
      marks += drawLane(context, layout, lane, top + LANE / 2, picture, palette);
    }
  });
  drawWatermark(context, layout, picture, palette);
  context.restore();
  drawNames(context, layout, picture, palette);
  drawAxis(context, layout, palette);
  nameWatermark(context, layout, picture.watermark, palette);
  return marks;
}

function drawGrid(
  context: CanvasRenderingContext2D,
  layout: Layout,
  picture: Picture,
  palette: Palette,
): void {
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const tick of ticksOf(layout)) {
    const x = Math.round(placeOf(layout, tick.instant)) + 0.5;
    context.moveTo(x, AXIS);
    context.lineTo(x, layout.height);
  }
  for (let index = 0; index <= picture.lanes.length; index++) {
    const y = Math.round(topOf(layout, index)) + 0.5;
    if (y < AXIS || y > layout.height) continue;
    context.moveTo(0, y);
    context.lineTo(layout.width, y);
  }
  context.stroke();
}

interface Tick {
  instant: number;
  label: string;
}

function ticksOf(layout: Layout): Tick[] {
  const scale = scaleTime().domain([new Date(layout.view[0]), new Date(layout.view[1])]);
  const count = Math.max(2, Math.floor((layout.width - layout.gutter) / 100));
  const format = scale.tickFormat();
  return scale.ticks(count).map((date) => ({ instant: date.getTime(), label: labelOf(date, format(date)) }));
}

/** Hours and minutes on a clock of 24 hours; d3 would say "03 PM". */
function labelOf(date: Date, given: string): string {
  return / [AP]M$|^\d\d:\d\d$/.test(given) ? clockOf(date.getTime(), false) : given;
}

function drawAxis(context: CanvasRenderingContext2D, layout: Layout, palette: Palette): void {
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, layout.width, AXIS);
  context.fillStyle = palette.muted;
  context.textAlign = 'center';
  for (const tick of ticksOf(layout)) {
    const x = placeOf(layout, tick.instant);
    if (x > layout.gutter + 12 && x < layout.width - 16) context.fillText(tick.label, x, AXIS / 2);
  }
  context.textAlign = 'left';
  const from = layout.view[0];
  const corner = layout.gutter > 120 ? `${dateOf(from)} ${clockOf(from, false)}` : dateOf(from);
  context.fillText(corner, 8, AXIS / 2);
  context.strokeStyle = palette.line;
  context.strokeRect(-1, AXIS - 0.5, layout.width + 2, 0);
}

function drawNames(
  context: CanvasRenderingContext2D,
  layout: Layout,
  picture: Picture,
  palette: Palette,
): void {
  context.fillStyle = palette.surface;
  context.fillRect(0, AXIS, layout.gutter, layout.height - AXIS);
  context.textAlign = 'left';
  picture.lanes.forEach((lane, index) => {
    const top = topOf(layout, index);
    if (top + LANE <= AXIS || top >= layout.height) return;
    context.fillStyle = lane.items[0]?.kind === 'match' ? palette.match : palette.text;
    context.fillText(cut(context, lane.key, layout.gutter - 16), 8, top + LANE / 2);
  });
  context.strokeStyle = palette.line;
  context.beginPath();
  context.moveTo(layout.gutter - 0.5, AXIS);
  context.lineTo(layout.gutter - 0.5, layout.height);
  context.stroke();
}

/** A text as far as there is room for it. */
function cut(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let length = text.length;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) length--;
  return `${text.slice(0, length)}…`;
}

function drawLane(
  context: CanvasRenderingContext2D,
  layout: Layout,
  lane: Lane,
  y: number,
  picture: Picture,
  palette: Palette,
): number {
  const [from, to] = layout.view;
  const last: Record<string, number> = {};
  let marks = 0;
  for (let index = firstFrom(lane.items, from - longestOf(lane)); index < lane.items.length; index++) {
    const item = lane.items[index]!;
    if (item.start > to) break;
    if (item.end < from) continue;
    const x = placeOf(layout, item.start);
    const end = placeOf(layout, item.end);
    const isSelected = item.id === picture.selected;
    if (!isSelected && end - x < 2 && x - (last[item.kind] ?? -Infinity) < 1) continue;
    last[item.kind] = x;
    marks++;
    drawMark(context, item, x, end, y, isSelected, palette);
  }
  return marks;
}

function drawMark(
  context: CanvasRenderingContext2D,
  item: TimelineItem,
  x: number,
  end: number,
  y: number,
  isSelected: boolean,
  palette: Palette,
): void {
  context.fillStyle = palette[item.kind];
  context.strokeStyle = palette[item.kind];
  context.lineWidth = 1.5;
  context.beginPath();
  if (end - x > 2 * DOT) context.roundRect(x, y - DOT, end - x, 2 * DOT, DOT);
  else if (item.kind === 'match') diamond(context, (x + end) / 2, y, DOT + 2);
  else context.arc((x + end) / 2, y, item.kind === 'member' ? DOT + 1 : DOT, 0, 2 * Math.PI);
  if (item.kind === 'late') context.stroke();
  else context.fill();
  if (!isSelected) return;
  context.strokeStyle = palette.text;
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(x - DOT - 4, y - DOT - 4, end - x + 2 * DOT + 8, 2 * DOT + 8, DOT + 4);
  context.stroke();
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

function drawSpan(
  context: CanvasRenderingContext2D,
  layout: Layout,
  picture: Picture,
  palette: Palette,
  span: TimelineSpan,
): void {
  const index = span.lane === undefined ? -1 : picture.lanes.findIndex((lane) => lane.key === span.lane);
  const top = index < 0 ? AXIS : topOf(layout, index);
  const height = index < 0 ? Math.min(layout.height, topOf(layout, picture.lanes.length)) - AXIS : LANE;
  const x = placeOf(layout, span.from);
  const width = Math.max(2, placeOf(layout, span.to) - x);
  const colour = span.absent ? palette.absent : palette.window;
  context.save();
  context.beginPath();
  context.rect(x, top, width, height);
  context.clip();
  context.globalAlpha = span.absent ? 0.16 : 0.1;
  context.fillStyle = colour;
  context.fillRect(x, top, width, height);
  context.globalAlpha = span.absent ? 0.6 : 0.9;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  if (span.absent) hatch(context, x, top, width, height);
  context.strokeRect(x + 0.5, top + 0.5, width - 1, height - 1);
  context.globalAlpha = 1;
  if (index >= 0 && width > 40)
    label(context, span.label, Math.max(x, layout.gutter) + 8, top + height / 2, palette);
  context.restore();
}

function label(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  palette: Palette,
): void {
  context.textAlign = 'left';
  const width = context.measureText(text).width;
  context.fillStyle = palette.surface;
  context.globalAlpha = 0.85;
  context.fillRect(x - 4, y - 8, width + 8, 16);
  context.globalAlpha = 1;
  context.fillStyle = palette.text;
  context.fillText(text, x, y);
}

function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  top: number,
  width: number,
  height: number,
): void {
  const left = Math.max(x, -height);
  const right = Math.min(x + width, context.canvas.width);
  context.beginPath();
  for (let at = left - height - ((left - height) % 8); at < right; at += 8) {
    context.moveTo(at, top + height);
    context.lineTo(at + height, top);
  }
  context.stroke();
}

function drawWatermark(
  context: CanvasRenderingContext2D,
  layout: Layout,
  picture: Picture,
  palette: Palette,
): void {
  if (picture.watermark === null) return;
  const x = Math.round(placeOf(layout, picture.watermark)) + 0.5;
  context.strokeStyle = palette.watermark;
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(x, AXIS);
  context.lineTo(x, layout.height);
  context.stroke();
  context.setLineDash([]);
}

/** The word for it stands on the axis, where it hides no event. */
function nameWatermark(
  context: CanvasRenderingContext2D,
  layout: Layout,
  watermark: number | null,
  palette: Palette,
): void {
  if (watermark === null) return;
  const x = placeOf(layout, watermark);
  if (x < layout.gutter || x > layout.width) return;
  const text = 'watermark';
  const room = context.measureText(text).width + 8;
  const left = Math.min(layout.width - room, Math.max(layout.gutter, x - room / 2));
  context.fillStyle = palette.surface;
  context.fillRect(left - 24, 4, room + 48, AXIS - 8);
  context.fillStyle = palette.watermark;
  context.fillText(text, left + 4, AXIS / 2);
}
