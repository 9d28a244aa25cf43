/** Regions among the definitions of the service. */

import type { Geometry } from 'geojson';
import { api } from '../api';
import { regionOf, type Draft } from './draft';
import { geometryOf, writeWkt } from './wkt';

export interface Region {
  name: string;
  geometry: Geometry;
}

interface Definitions {
  definitions: { define?: string; name?: string; region?: unknown }[];
}

/** The regions that the visitor's subscriptions may name. */
export async function listRegions(): Promise<Region[]> {
  const { definitions } = await api.get<Definitions>('/v1/definitions');
  return definitions.flatMap((each) => {
    const geometry = geometryOf(each.region);
    return geometry ? [{ name: each.define ?? each.name ?? '', geometry }] : [];
  });
}

/** Saves a draft as a definition; `isForced` also where subscriptions ring no more by it. */
export async function saveRegion(draft: Draft, isForced: boolean): Promise<void> {
  const path = `/v1/definitions/${encodeURIComponent(draft.name.trim())}`;
  await api.put(path, { region: writeWkt(regionOf(draft)) }, { query: { force: isForced || undefined } });
}

export async function removeRegion(name: string, isForced: boolean): Promise<void> {
  await api.delete(`/v1/definitions/${encodeURIComponent(name)}`, {
    query: { force: isForced || undefined },
  });
}
