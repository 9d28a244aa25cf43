import type { EventPage, StoredEvent } from '../api';

/** A rule to begin with about a region: which events have a place, and which attribute tells things apart, is seen from
 * events that came.
 */
export function ruleAbout(region: string, { events }: Pick<EventPage, 'events'>): string {
  const placed = events.filter((each) => each.place !== null);
  const type = mostFrequent(placed.map((each) => each.event.type)) ?? 'position';
  const own = placed.filter((each) => each.event.type === type);
  const key = keyAmong(own);
  const lines = [`WHEN ${written(type)} ENTERS ${written(region)}`, key && `FOR EACH ${written(key)}`, 'HORIZON 1d'];
  return lines.filter(Boolean).join('\n');
}

function mostFrequent(names: string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
}

/** At least so many events come of each thing on average. */
const REPEATS = 2;

/** The attribute that all of the events have and that tells most things apart, of which each comes again. */
function keyAmong(events: StoredEvent[]): string | undefined {
  const values = new Map<string, string[]>();
  for (const { event } of events)
    for (const [name, value] of Object.entries(event.data && typeof event.data === 'object' ? event.data : {}))
      if (typeof value === 'string') values.set(name, [...(values.get(name) ?? []), value]);
  return [...values]
    .map(([name, found]) => ({ name, found: found.length, things: new Set(found).size }))
    .filter(({ found, things }) => found === events.length && things > 1 && things * REPEATS <= found)
    .sort((one, other) => other.things - one.things)[0]?.name;
}

/** A name as a rule has it: in backticks where it is not plain. */
export function written(name: string): string {
  return /^[^\W\d]\w*$/u.test(name) || name.includes('`') ? name : `\`${name}\``;
}
