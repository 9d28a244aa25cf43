/** Events and matches that the timeline has at hand, each once, bounded; and both as its items. */

import type { Match, StoredEvent } from '../api';
import { instantOf } from './instants';
import { keyOf } from './keys';
import type { TimelineItem } from './lanes';

export const MOST_EVENTS = 20_000;
const MOST_MATCHES = 5_000;
const EVENT = 'event:';
const MATCH = 'match:';

export class Buffer {
  private readonly events = new Map<string, StoredEvent>();
  private readonly matches = new Map<string, Match>();

  /** Adds what is new; the oldest go where there is too much. */
  addEvents(events: readonly StoredEvent[]): void {
    for (const stored of events) this.events.set(eventId(stored), stored);
    trim(this.events, MOST_EVENTS);
  }

  addMatches(matches: readonly Match[]): void {
    for (const match of matches) this.matches.set(MATCH + match.id, match);
    trim(this.matches, MOST_MATCHES);
  }

  clear(): void {
    this.events.clear();
    this.matches.clear();
  }

  event(id: string): StoredEvent | undefined {
    return this.events.get(id);
  }

  match(id: string): Match | undefined {
    return this.matches.get(id);
  }

  /** Positions of the first and last event; null where there is none. */
  get positions(): [number, number] | null {
    let [low, high] = [Infinity, -Infinity];
    for (const { position } of this.events.values()) {
      low = Math.min(low, position);
      high = Math.max(high, position);
    }
    return low <= high ? [low, high] : null;
  }

  /** When the first and last event happened; null where none has a time. */
  get times(): [number, number] | null {
    let [low, high] = [Infinity, -Infinity];
    for (const stored of this.events.values()) {
      low = Math.min(low, instantOf(stored.start) ?? Infinity);
      high = Math.max(high, instantOf(stored.end) ?? -Infinity);
    }
    return low <= high ? [low, high] : null;
  }

  /** Items of everything that has a time, events in the lane of their key, matches in that of their subscription. */
  items(path: string): TimelineItem[] {
    const items: TimelineItem[] = [];
    for (const [id, stored] of this.events) {
      const start = instantOf(stored.start);
      if (start === null) continue;
      const { event } = stored;
      const kind = stored.late ? 'late' : 'event';
      const end = instantOf(stored.end) ?? start;
      items.push({ id, start, end, lane: keyOf(event, path), kind, label: `${event.type} ${event.id}` });
    }
    for (const [id, match] of this.matches) {
      const end = instantOf(match.detected ?? match.end);
      if (end === null) continue;
      items.push({
        id,
        start: end,
        end,
        lane: match.subscription,
        kind: 'match',
        label: `${match.subscription} rang`,
      });
    }
    return items;
  }
}

function eventId({ position, event }: StoredEvent): string {
  return `${EVENT}${position}:${event.id}`;
}

function trim(map: Map<string, unknown>, most: number): void {
  for (const id of map.keys()) {
    if (map.size <= most) return;
    map.delete(id);
  }
}
