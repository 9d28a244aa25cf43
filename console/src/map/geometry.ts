/** Small questions about geometries: their box, their middle, how far two places are apart. */

import type { Geometry, Position } from 'geojson';

export type Box = [west: number, south: number, east: number, north: number];

/** How coordinates are meant: longitude and latitude, or a plane. */
export type Projection = 'globe' | 'flat';

const EARTH = 6_371_008.8;

/** Calls back for each position of a geometry. */
export function eachPosition(geometry: Geometry, found: (position: Position) => void): void {
  if (geometry.type === 'GeometryCollection') {
    for (const part of geometry.geometries) eachPosition(part, found);
  } else walk(geometry.coordinates, found);
}

type Nested = Position | Nested[];

function walk(nested: Nested, found: (position: Position) => void): void {
  if (typeof nested[0] === 'number') found(nested as Position);
  else for (const part of nested as Nested[]) walk(part, found);
}

/** The box around geometries; null where there are none. */
export function boxOf(geometries: Iterable<Geometry>): Box | null {
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const geometry of geometries) {
    eachPosition(geometry, ([x = 0, y = 0]) => {
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    });
  }
  return box[0] <= box[2] ? box : null;
}

/** The point that stands for a geometry: itself, or the middle of its box. */
export function middleOf(geometry: Geometry): [number, number] {
  if (geometry.type === 'Point') return [geometry.coordinates[0]!, geometry.coordinates[1]!];
  const box = boxOf([geometry]);
  return box ? [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2] : [0, 0];
}

/** Whether coordinates can be longitude and latitude; a plane otherwise. */
export function projectionFor(geometries: Iterable<Geometry>): Projection {
  const box = boxOf(geometries);
  return !box || (box[0] >= -360 && box[2] <= 360 && box[1] >= -90 && box[3] <= 90) ? 'globe' : 'flat';
}

/** How far two points are apart: metres on a sphere, or units of the plane. */
export function distanceBetween(a: Position, b: Position, projection: Projection): number {
  const [ax = 0, ay = 0] = a;
  const [bx = 0, by = 0] = b;
  if (projection === 'flat') return Math.hypot(bx - ax, by - ay);
  const radians = Math.PI / 180;
  const across = Math.sin(((bx - ax) * radians) / 2) ** 2;
  const along = Math.sin(((by - ay) * radians) / 2) ** 2;
  const share = along + Math.cos(ay * radians) * Math.cos(by * radians) * across;
  return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(share)));
}

/** A distance for people. */
export function shownDistance(distance: number, projection: Projection): string {
  if (projection === 'flat') return String(Number(distance.toPrecision(4)));
  if (distance < 1000) return `${Math.round(distance)} m`;
  return `${Number((distance / 1000).toPrecision(4)).toLocaleString('en')} km`;
}

/** Whether two edges of a ring cross or touch where they should not; a region's outline must not. */
export function crossesItself(ring: readonly Position[]): boolean {
  const count = ring.length;
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      const isNeighbour = j === i + 1 || (i === 0 && j === count - 1);
      if (!isNeighbour && meet(ring[i]!, ring[(i + 1) % count]!, ring[j]!, ring[(j + 1) % count]!))
        return true;
    }
  }
  return false;
}

function meet(a: Position, b: Position, c: Position, d: Position): boolean {
  const abc = turn(a, b, c);
  const abd = turn(a, b, d);
  const cda = turn(c, d, a);
  const cdb = turn(c, d, b);
  if (abc !== abd && cda !== cdb) return true;
  return (
    (abc === 0 && within(a, b, c)) ||
    (abd === 0 && within(a, b, d)) ||
    (cda === 0 && within(c, d, a)) ||
    (cdb === 0 && within(c, d, b))
  );
}

function turn(a: Position, b: Position, c: Position): number {
  return Math.sign((b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!));
}

function within(a: Position, b: Position, p: Position): boolean {
  return (
    Math.min(a[0]!, b[0]!) <= p[0]! &&
    p[0]! <= Math.max(a[0]!, b[0]!) &&
    Math.min(a[1]!, b[1]!) <= p[1]! &&
    p[1]! <= Math.max(a[1]!, b[1]!)
  );
}

/** A place for people: on the globe with its sides, else as two numbers. */
export function shownPosition([x = 0, y = 0]: Position, projection: Projection): string {
  const [tidyX, tidyY] = [Number(x.toFixed(5)), Number(y.toFixed(5))];
  if (projection === 'flat') return `${tidyX}, ${tidyY}`;
  return `${Math.abs(tidyY)}° ${y < 0 ? 'S' : 'N'}, ${Math.abs(tidyX)}° ${x < 0 ? 'W' : 'E'}`;
}
