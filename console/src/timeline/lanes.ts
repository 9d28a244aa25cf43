/** Items of a timeline, and the lanes they lie in: one lane per key, those with matches first. */

export type ItemKind = 'event' | 'match' | 'late' | 'member';

/** Something that happened from `start` to `end`, both instants in milliseconds. */
export interface TimelineItem {
  id: string;
  start: number;
  end: number;
  lane: string;
  kind: ItemKind;
  label: string;
}

/** A stretch of time: a window, or one in which something did not happen (`absent`). */
export interface TimelineSpan {
  from: number;
  to: number;
  label: string;
  absent?: boolean;
  lane?: string;
}

export interface Lane {
  key: string;
  items: TimelineItem[];
}

/** The lane for keys that have none of their own any more. */
export const OTHERS = '… others';

/** One lane per key in the order of first appearance, matches above events; at most `most`,
 * the rest together. A lane that only a span names is there, too.
 */
export function lanesOf(
  items: readonly TimelineItem[],
  spans: readonly TimelineSpan[] = [],
  most = 200,
): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const { lane } of spans) if (lane !== undefined) lanes.set(lane, { key: lane, items: [] });
  for (const item of items) {
    const found = lanes.get(item.lane);
    if (found) found.items.push(item);
    else lanes.set(item.lane, { key: item.lane, items: [item] });
  }
  const ordered = [...lanes.values()].sort((a, b) => rank(a) - rank(b) || compare(a.key, b.key));
  for (const lane of ordered) lane.items.sort((a, b) => a.start - b.start);
  if (ordered.length <= most) return ordered;
  const rest = ordered.slice(most - 1).flatMap((lane) => lane.items);
  return [...ordered.slice(0, most - 1), { key: OTHERS, items: rest.sort((a, b) => a.start - b.start) }];
}

function rank(lane: Lane): number {
  return lane.items[0]?.kind === 'match' ? 0 : 1;
}

const collator = new Intl.Collator('en', { numeric: true });
const compare = collator.compare;

/** The first and last instant of everything shown, with a margin on both sides; null where there is nothing. */
export function extentOf(
  items: readonly TimelineItem[],
  spans: readonly TimelineSpan[] = [],
): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const item of items) {
    low = Math.min(low, item.start);
    high = Math.max(high, item.end);
  }
  for (const span of spans) {
    low = Math.min(low, span.from);
    high = Math.max(high, span.to);
  }
  if (low > high) return null;
  const margin = Math.max((high - low) * 0.06, 5);
  return [low - margin, high + margin];
}

/** The index of the first item of a sorted lane that starts at or after an instant. */
export function firstFrom(items: readonly TimelineItem[], instant: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.start < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The longest item of a lane, so that what started before the view and reaches into it is found. */
export function longestOf(lane: Lane): number {
  return lane.items.reduce((longest, item) => Math.max(longest, item.end - item.start), 0);
}

/** The stretch from the first event to the last item: matches of long ago do not make it longer. */
export function stretchOf(items: readonly TimelineItem[]): [number, number] | null {
  const all = extentOf(items);
  const events = extentOf(items.filter((item) => item.kind !== 'match'));
  return all && [events?.[0] ?? all[0], all[1]];
}
