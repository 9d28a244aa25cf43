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
  const borders = mesh(topology, countries, (one, other) => one !== other).coordinates;
  return { land: rings.flatMap(unwrapRing), borders: borders.flatMap(splitLine) };
}

function ringsOf(geometry: Polygon | MultiPolygon): Position[][] {
  return geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat();
}

const TURN = 360;

/** A ring without jumps across the 180th meridian: it goes on beyond it, and once more a turn away.
 * One that goes around a pole is closed by way of the pole.
 */
export function unwrapRing(ring: Position[]): Position[][] {
  const unwrapped: Position[] = [];
  let turns = 0;
  ring.forEach(([longitude = 0, latitude = 0], index) => {
    const step = index ? longitude - ring[index - 1]![0]! : 0;
    if (Math.abs(step) > TURN / 2) turns -= Math.sign(step);
    unwrapped.push([longitude + turns * TURN, latitude]);
  });
  if (turns !== 0) {
    const pole = Math.sign(unwrapped[0]![1]!) * 90;
    unwrapped.push([unwrapped.at(-1)![0]!, pole], [unwrapped[0]![0]!, pole]);
  }
  const [low, high] = [Math.min(...unwrapped.map(longitudeOf)), Math.max(...unwrapped.map(longitudeOf))];
  const copies = [unwrapped];
  if (high > TURN / 2) copies.push(unwrapped.map(([x = 0, y = 0]) => [x - TURN, y]));
  if (low < -TURN / 2) copies.push(unwrapped.map(([x = 0, y = 0]) => [x + TURN, y]));
  return copies;
}

function longitudeOf(position: Position): number {
  return position[0]!;
}

/** A line in pieces that do not jump across the 180th meridian. */
function splitLine(line: Position[]): Position[][] {
  const pieces: Position[][] = [[]];
  line.forEach((position, index) => {
    const isJump = index > 0 && Math.abs(position[0]! - line[index - 1]![0]!) > TURN / 2;
    if (isJump) pieces.push([]);
    pieces.at(-1)!.push(position);
  });
  return pieces;
}
