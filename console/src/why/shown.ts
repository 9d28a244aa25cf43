/** A match as items of a timeline and features of a map. */

import type { Geometry } from 'geojson';
import type { MapFeature } from '../map/features';
import { distanceBetween, middleOf, projectionFor, shownDistance, type Projection } from '../map/geometry';
import { geometryOf } from '../map/wkt';
import { instantOf } from '../timeline/instants';
import type { TimelineItem, TimelineSpan } from '../timeline/lanes';
import type { Member, Waiting, Why } from './types';

/** What a member is called: its name in the subscription, or its type, and its id. */
export function memberLabel(member: Member): string {
  return `${member.name ?? member.event?.type ?? 'event'} ${memberId(member)}`;
}

export function memberId(member: Member): string {
  return member.event?.id ?? member.id ?? '?';
}

/** Each member in a lane of its part, and the match where it rang. */
export function itemsOf(why: Why): TimelineItem[] {
  const items = why.members.flatMap((member, index): TimelineItem[] => {
    const start = instantOf(member.start);
    if (start === null) return [];
    const lane = member.name ?? member.event?.type ?? 'events';
    return [
      {
        id: String(index),
        start,
        end: instantOf(member.end) ?? start,
        lane,
        kind: 'member',
        label: memberLabel(member),
      },
    ];
  });
  const detected = instantOf(why.match.detected);
  if (detected === null) return items;
  const label = `${why.match.subscription} rang`;
  return [...items, { id: 'match', start: detected, end: detected, lane: 'rang', kind: 'match', label }];
}

/** Each window as a bar in a lane of its own. */
export function spansOf(why: Why): TimelineSpan[] {
  return why.windows.flatMap((window): TimelineSpan[] => {
    const from = instantOf(window.from);
    const to = instantOf(window.to);
    if (from === null || to === null) return [];
    const lane = window.absent ? 'did not happen' : 'window';
    return [{ from, to, label: window.label, absent: window.absent, lane }];
  });
}

/** Members, regions, where it rang, and how far members are apart. */
export function featuresOf(why: Why): { features: MapFeature[]; projection: Projection } {
  const regions = why.regions.map(({ name, geometry }, index): MapFeature => ({
    id: `region ${index}`,
    geometry,
    kind: 'region',
    label: name,
  }));
  const placed = why.members.flatMap((member, index) =>
    member.place ? [{ member, index, place: member.place }] : [],
  );
  const members = placed.map(({ member, index, place }): MapFeature => ({
    id: String(index),
    geometry: place,
    kind: 'member',
    label: memberLabel(member),
  }));
  const geometries = [...regions, ...members].map((each) => each.geometry);
  const projection = projectionFor(geometries);
  const lines = distances(
    placed.map(({ place }) => place),
    projection,
  );
  const where = geometryOf(why.match.place);
  const rang: MapFeature[] =
    members.length === 0 && where
      ? [{ id: 'match', geometry: where, kind: 'match', label: `${why.match.subscription} rang` }]
      : [];
  return { features: [...regions, ...lines, ...members, ...rang], projection };
}

/** A line with its length from each place to the next; none where they are the same. */
function distances(places: readonly Geometry[], projection: Projection): MapFeature[] {
  return places.slice(1).flatMap((place, index): MapFeature[] => {
    const [from, to] = [middleOf(places[index]!), middleOf(place)];
    const distance = distanceBetween(from, to, projection);
    if (distance === 0) return [];
    const geometry = { type: 'LineString' as const, coordinates: [from, to] };
    return [
      { id: `distance ${index}`, geometry, kind: 'distance', label: shownDistance(distance, projection) },
    ];
  });
}

/** What waits, as bars from since to until; what waits without an end goes on to `now`. */
export function waitingSpans(waiting: readonly Waiting[], now: number): TimelineSpan[] {
  return waiting.flatMap((each, index): TimelineSpan[] => {
    const from = instantOf(each.since);
    if (from === null) return [];
    return [
      { from, to: Math.max(from, instantOf(each.until) ?? now), label: each.what, lane: laneOf(each, index) },
    ];
  });
}

function laneOf(waiting: Waiting, index: number): string {
  return `${index + 1}. ${waiting.members.map((member) => member.id).join(' ')}`;
}
