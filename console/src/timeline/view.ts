/** The stretch of time that is seen: between two milliseconds and a year, moved and zoomed without drift. */

import { DAY } from './instants';

export type View = readonly [number, number];

export const SHORTEST = 2;
export const LONGEST = 366 * DAY;

/** The view zoomed by a factor (below 1 is closer) around the instant that stays where it is. */
export function zoomed(view: View, factor: number, around: number): View {
  const length = clamp((view[1] - view[0]) * factor, SHORTEST, LONGEST);
  const share = (around - view[0]) / (view[1] - view[0]);
  const start = around - length * share;
  return [start, start + length];
}

/** The view moved by a share of its own length. */
export function moved(view: View, share: number): View {
  const by = (view[1] - view[0]) * share;
  return [view[0] + by, view[1] + by];
}

/** The view of the same length that ends at an instant. */
export function endingAt(view: View, end: number): View {
  return [end - (view[1] - view[0]), end];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
