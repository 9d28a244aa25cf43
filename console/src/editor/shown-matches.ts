import type { Match } from '../api';
import type { MapFeature } from '../map/features';
import { geometryOf } from '../map/wkt';
import type { TimelineItem } from '../timeline/lanes';

/** Matches as items of a timeline, one lane for each value that was bound; those without a time are left out. */
export function timelineItems(matches: Match[]): TimelineItem[] {
  return matches.flatMap((match) => {
    const end = Date.parse(match.detected ?? match.end ?? '');
    if (Number.isNaN(end)) return [];
    const start = Date.parse(match.start ?? '') || end;
    return [{ id: match.id, start, end, lane: laneOf(match), kind: 'match' as const, label: match.events.join(', ') }];
  });
}

function laneOf(match: Match): string {
  return Object.values(match.bindings)[0] ?? match.sources[0] ?? match.subscription;
}

/** Where matches rang; those without a place are left out. */
export function mapFeatures(matches: Match[]): MapFeature[] {
  return matches.flatMap((match) => {
    const geometry = match.place ? geometryOf(match.place) : null;
    return geometry ? [{ id: match.id, geometry, kind: 'match' as const, label: match.events.join(', ') }] : [];
  });
}
