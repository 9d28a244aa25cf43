/** Stored and coming events put on a map: each key a moving point, its colour by the type of the event. */

import type { StoredEvent } from '../api';
import { keyOf } from '../timeline/keys';
import { middleOf, type Box } from './geometry';
import type { Points } from './points';

export interface KindCount {
  type: string;
  count: number;
}

export class LivePoints {
  readonly last = new Map<string, StoredEvent>();
  readonly kinds: KindCount[] = [];
  private readonly indexes = new Map<string, number>();
  private readonly box: Box = [Infinity, Infinity, -Infinity, -Infinity];

  constructor(
    readonly points: Points,
    private readonly path: string,
  ) {}

  /** Takes the events that have a place; tells how many. */
  put(events: readonly StoredEvent[], clock: number): number {
    let count = 0;
    for (const stored of events) {
      if (!stored.place) continue;
      const [x, y] = middleOf(stored.place);
      const key = keyOf(stored.event, this.path);
      this.points.put(key, x, y, this.kindOf(stored.event.type), clock);
      this.last.set(key, stored);
      this.stretch(x, y);
      count++;
    }
    if (this.last.size > 2 * this.points.count) this.forgetDropped();
    return count;
  }

  /** The box around all that was seen; null where nothing was. */
  get bounds(): Box | null {
    return this.box[0] <= this.box[2] ? this.box : null;
  }

  private kindOf(type: string): number {
    let index = this.indexes.get(type);
    if (index === undefined) {
      index = this.kinds.length;
      this.indexes.set(type, index);
      this.kinds.push({ type, count: 0 });
    }
    this.kinds[index]!.count++;
    return index;
  }

  private stretch(x: number, y: number): void {
    this.box[0] = Math.min(this.box[0], x);
    this.box[1] = Math.min(this.box[1], y);
    this.box[2] = Math.max(this.box[2], x);
    this.box[3] = Math.max(this.box[3], y);
  }

  private forgetDropped(): void {
    for (const key of this.last.keys()) if (this.points.slotOf(key) === undefined) this.last.delete(key);
  }
}
