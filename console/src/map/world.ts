/** Land and borders of the world (Natural Earth, public domain), fetched once from the console's own files. */

import type { MultiPolygon, Polygon, Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-50m.json?url';

export interface World {
  land: Position[][];
  borders: Position[][];
}

type Atlas = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;

let loading: Promise<World> | null = null;

export function loadWorld(): Promise<World> {
  loading ??= fetch(atlas)
    .then((answer) => answer.json() as Promise<Atlas>)
    .then(decode);
  return loading;
}

function decode(topology: Atlas): World {
  const { countries, land } = topology.objects;
  const found = feature(topology, land).features;
  const rings = found.flatMap(({ geometry }) => ringsOf(geometry as Polygon | MultiPolygon));
  return { land: rings, borders: mesh(topology, countries, (one, other) => one !== other).coordinates };
}

function ringsOf(geometry: Polygon | MultiPolygon): Position[][] {
  return geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat();
}
