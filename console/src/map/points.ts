/** Things that move, by key: where each was, where it goes and its track. Bounded: the stalest go first. */

/** World coordinates of a place: units in which the whole map is 1 by 1 (or those of the plane). */
export type ToWorld = (x: number, y: number) => [number, number];

export const MOST_POINTS = 50_000;
const TRACK = 48;
const SHORTEST_STEP = 120;
const LONGEST_STEP = 4000;

export class Points {
  /** How many there are; slots 0 to count - 1 are used. */
  count = 0;
  /** Rises with every change. */
  changes = 0;
  /** The clock, in milliseconds, at which the last of them arrives. */
  restsAt = 0;
  readonly keys: string[] = [];
  readonly kinds = new Uint8Array(MOST_POINTS);
  private readonly slots = new Map<string, number>();
  private readonly from = new Float64Array(2 * MOST_POINTS);
  private readonly to = new Float64Array(2 * MOST_POINTS);
  private readonly left = new Float64Array(MOST_POINTS);
  private readonly arrives = new Float64Array(MOST_POINTS);
  private readonly seen = new Float64Array(MOST_POINTS);
  private readonly tracks: number[][] = [];

  constructor(readonly toWorld: ToWorld) {}

  /** A key was seen at a place: it moves there from where it is, over the time since it was last seen. */
  put(key: string, x: number, y: number, kind: number, clock: number): void {
    const [worldX, worldY] = this.toWorld(x, y);
    let slot = this.slots.get(key);
    if (slot === undefined) {
      slot = this.newSlot(key);
      this.from[2 * slot] = worldX;
      this.from[2 * slot + 1] = worldY;
      this.left[slot] = this.arrives[slot] = clock;
    } else {
      const [nowX, nowY] = this.at(slot, clock);
      const step = Math.min(LONGEST_STEP, Math.max(SHORTEST_STEP, clock - this.seen[slot]!));
      this.from[2 * slot] = nowX;
      this.from[2 * slot + 1] = nowY;
      this.left[slot] = clock;
      this.arrives[slot] = clock + step;
      this.restsAt = Math.max(this.restsAt, clock + step);
    }
    this.to[2 * slot] = worldX;
    this.to[2 * slot + 1] = worldY;
    this.seen[slot] = clock;
    this.kinds[slot] = kind;
    this.remember(slot, worldX, worldY);
    this.changes++;
  }

  /** Where a slot is at a clock. */
  at(slot: number, clock: number): [number, number] {
    const share = this.shareOf(slot, clock);
    const x = this.from[2 * slot]!;
    const y = this.from[2 * slot + 1]!;
    return [x + share * (this.to[2 * slot]! - x), y + share * (this.to[2 * slot + 1]! - y)];
  }

  /** Writes the screen places of all into a list x, y, x, y …: place = world × scale − origin. */
  place(into: Float32Array, clock: number, scale: number, originX: number, originY: number): void {
    const { from, to } = this;
    for (let slot = 0; slot < this.count; slot++) {
      const share = this.shareOf(slot, clock);
      const x = from[2 * slot]!;
      const y = from[2 * slot + 1]!;
      into[2 * slot] = (x + share * (to[2 * slot]! - x)) * scale - originX;
      into[2 * slot + 1] = (y + share * (to[2 * slot + 1]! - y)) * scale - originY;
    }
  }

  slotOf(key: string): number | undefined {
    return this.slots.get(key);
  }

  /** The world places a slot has been at, oldest first: x, y, x, y … */
  trackOf(slot: number): readonly number[] {
    return this.tracks[slot] ?? [];
  }

  clear(): void {
    this.count = 0;
    this.keys.length = 0;
    this.tracks.length = 0;
    this.slots.clear();
    this.changes++;
  }

  private shareOf(slot: number, clock: number): number {
    const end = this.arrives[slot]!;
    if (clock >= end) return 1;
    const start = this.left[slot]!;
    return clock <= start ? 0 : (clock - start) / (end - start);
  }

  private remember(slot: number, x: number, y: number): void {
    const track = (this.tracks[slot] ??= []);
    track.push(x, y);
    if (track.length > 2 * TRACK) track.splice(0, 2);
  }

  private newSlot(key: string): number {
    if (this.count === MOST_POINTS) this.dropStalest(MOST_POINTS / 10);
    const slot = this.count++;
    this.slots.set(key, slot);
    this.keys[slot] = key;
    this.tracks[slot] = [];
    return slot;
  }

  private dropStalest(many: number): void {
    const limit = this.seen.slice(0, this.count).sort()[many]!;
    let kept = 0;
    const old = this.count;
    for (let slot = 0; slot < old; slot++) {
      if (this.seen[slot]! < limit) this.slots.delete(this.keys[slot]!);
      else this.moveSlot(slot, kept++);
    }
    this.count = kept;
    this.keys.length = kept;
    this.tracks.length = kept;
    if (kept === old) this.clear();
  }

  private moveSlot(slot: number, to: number): void {
    if (slot === to) return;
    for (const list of [this.left, this.arrives, this.seen, this.kinds]) list[to] = list[slot]!;
    for (const list of [this.from, this.to]) list.copyWithin(2 * to, 2 * slot, 2 * slot + 2);
    this.keys[to] = this.keys[slot]!;
    this.tracks[to] = this.tracks[slot]!;
    this.slots.set(this.keys[to]!, to);
  }
}
