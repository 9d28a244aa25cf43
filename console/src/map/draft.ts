/** A region that is being drawn or changed: its rings without the closing corner, and what is wrong with it. */

import type { Geometry, MultiPolygon, Polygon, Position } from 'geojson';
import { crossesItself } from './geometry';

export type Corner = [number, number];

/** A ring of a draft: an outline or a hole in the outline of the same polygon. */
export interface Ring {
  polygon: number;
  isHole: boolean;
  corners: readonly Corner[];
}

export interface Draft {
  name: string;
  /** The name that it has in the service; null for a new one. */
  saved: string | null;
  rings: readonly Ring[];
  /** Whether corners are still being added by clicks. */
  isOpen: boolean;
}

/** A region to be drawn, without a corner yet. */
export function newDraft(name: string): Draft {
  return { name, saved: null, rings: [{ polygon: 0, isHole: false, corners: [] }], isOpen: true };
}

/** A region of the service, to be changed. */
export function draftOf(name: string, region: Geometry): Draft | null {
  if (region.type !== 'Polygon' && region.type !== 'MultiPolygon') return null;
  const polygons = region.type === 'Polygon' ? [region.coordinates] : region.coordinates;
  const rings = polygons.flatMap((polygon, index) =>
    polygon.map((ring, inner) => ({ polygon: index, isHole: inner > 0, corners: opened(ring) })),
  );
  return { name, saved: name, rings, isOpen: false };
}

function opened(ring: Position[]): Corner[] {
  const corners = ring.map(([x = 0, y = 0]): Corner => [x, y]);
  const [first, last] = [corners[0], corners.at(-1)];
  const isClosed = corners.length > 1 && first![0] === last![0] && first![1] === last![1];
  return isClosed ? corners.slice(0, -1) : corners;
}

/** The draft with another list of corners for one of its rings. */
function withRing(draft: Draft, ring: number, change: (corners: readonly Corner[]) => Corner[]): Draft {
  const rings = draft.rings.map((each, index) =>
    index === ring ? { ...each, corners: change(each.corners) } : each,
  );
  return { ...draft, rings };
}

export function addCorner(draft: Draft, corner: Corner): Draft {
  return withRing(draft, draft.rings.length - 1, (corners) => [...corners, corner]);
}

export function dropLastCorner(draft: Draft): Draft {
  return withRing(draft, draft.rings.length - 1, (corners) => corners.slice(0, -1));
}

export function moveCorner(draft: Draft, ring: number, index: number, to: Corner): Draft {
  return withRing(draft, ring, (corners) => corners.with(index, to));
}

/** A new corner in the edge behind the corner of that index. */
export function splitEdge(draft: Draft, ring: number, index: number, at: Corner): Draft {
  return withRing(draft, ring, (corners) => corners.toSpliced(index + 1, 0, at));
}

/** The draft without a corner; a ring keeps three. */
export function dropCorner(draft: Draft, ring: number, index: number): Draft {
  return withRing(draft, ring, (corners) =>
    corners.length > 3 ? corners.toSpliced(index, 1) : [...corners],
  );
}

export function setCorners(draft: Draft, ring: number, corners: Corner[]): Draft {
  return withRing(draft, ring, () => corners);
}

/** The draft with its last ring closed; it stays open below three corners. */
export function close(draft: Draft): Draft {
  return { ...draft, isOpen: (draft.rings.at(-1)?.corners.length ?? 0) < 3 };
}

/** What keeps a draft from being saved; null where nothing does. */
export function flawOf(draft: Draft): string | null {
  for (const ring of draft.rings) {
    if (ring.corners.length < 3) return 'A region needs three corners or more.';
    if (crossesItself(ring.corners)) return 'The outline crosses itself.';
  }
  return draft.name.trim() === '' ? 'Give the region a name.' : null;
}

/** The region of a draft, its rings closed. */
export function regionOf(draft: Draft): Polygon | MultiPolygon {
  const polygons: Position[][][] = [];
  for (const ring of draft.rings) {
    (polygons[ring.polygon] ??= []).push([...ring.corners, ring.corners[0]!]);
  }
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0]! }
    : { type: 'MultiPolygon', coordinates: polygons };
}

/** The corners as lines of a form, one "longitude latitude" in each. */
export function cornersText(corners: readonly Corner[]): string {
  return corners.map(([x, y]) => `${tidy(x)} ${tidy(y)}`).join('\n');
}

/** The corners of such lines; null where a line is none. */
export function readCorners(text: string): Corner[] | null {
  const corners: Corner[] = [];
  for (const line of text.split(/\n/)) {
    if (line.trim() === '') continue;
    const numbers = line
      .trim()
      .split(/[\s,;]+/)
      .map(Number);
    if (numbers.length !== 2 || numbers.some((each) => !Number.isFinite(each))) return null;
    corners.push([numbers[0]!, numbers[1]!]);
  }
  return corners;
}

/** A coordinate to a tenth of a metre on the globe. */
export function tidy(coordinate: number): number {
  return Number(coordinate.toFixed(6));
}
