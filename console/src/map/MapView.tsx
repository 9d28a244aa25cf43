/** A map of features, tracks and moving points over the coasts of the world or over a plain grid. */

import L from 'leaflet';
import 'leaflet/dist/leaflet.css';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { themeChanges } from '../theme';
import { BaseLayer } from './base-layer';
import { worldOf } from './canvas-layer';
import type { Draft } from './draft';
import { DraftLayer } from './draft-layer';
import { showFeatures, type MapFeature } from './features';
import { boxOf, type Box, type Projection } from './geometry';
import './map.css';
import { Points } from './points';
import { PointsLayer } from './points-layer';
import { PulsesLayer } from './pulses-layer';
import { TracksLayer } from './tracks-layer';
import { loadWorld } from './world';

export type { MapFeature } from './features';

/** Where something has been, oldest first, as longitude and latitude or places of the plane. */
export interface MapTrack {
  key: string;
  points: readonly (readonly [number, number])[];
}

/** What a page with moving points asks of its map. */
export interface MapHandle {
  /** Points changed: draw frames until all is at rest. */
  wake(): void;
  /** Something rang at a place. */
  ring(x: number, y: number): void;
  fit(box: Box): void;
  /** Show the track of one point; null for none. */
  choose(key: string | null): void;
}

export interface MapViewProps {
  features: readonly MapFeature[];
  tracks?: readonly MapTrack[];
  /** A feature was picked, by its id, or a moving point, by its key. */
  onPick?: (id: string, kind: 'feature' | 'point') => void;
  /** A region that is being drawn or changed, and what to do with each change of it. */
  editable?: { draft: Draft | null; change: (draft: Draft) => void };
  points?: Points;
  onReady?: (handle: MapHandle) => void;
  projection?: Projection;
  /** The address of tiles with {z}, {x} and {y}; the bundled coasts without. */
  tiles?: string;
  label?: string;
  height?: string;
}

interface Made {
  map: L.Map;
  base: BaseLayer;
  tracks: TracksLayer;
  pulses: PulsesLayer;
  points: PointsLayer | null;
  features: L.LayerGroup;
  drafts: DraftLayer | null;
}

/** A store of moving points for a map of that projection. */
export function newPoints(projection: Projection): Points {
  const crs = crsOf(projection);
  return new Points((x, y) => worldOf(crs, x, y));
}

function crsOf(projection: Projection): L.CRS {
  return projection === 'globe' ? L.CRS.EPSG3857 : L.CRS.Simple;
}

export function MapView(props: MapViewProps): JSX.Element {
  const { features, tracks, editable, projection = 'globe', tiles = '' } = props;
  const holder = useRef<HTMLDivElement>(null);
  const [made, setMade] = useState<Made | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const fitted = useRef<L.Map | null>(null);

  useEffect(() => {
    const found = make(holder.current!, projection, tiles, props.points ?? null, latest);
    setMade(found);
    props.onReady?.(handleOf(found, projection));
    const observer = new ResizeObserver(() => found.map.invalidateSize({ animate: false }));
    observer.observe(holder.current!);
    return () => {
      observer.disconnect();
      found.map.remove();
    };
  }, [projection, tiles, props.points]);

  useEffect(() => {
    if (!made) return;
    showFeatures(made.features, features, (id) => latest.current.onPick?.(id, 'feature'));
    if (fitted.current === made.map) return;
    const given = (tracks ?? []).map((track) => ({
      type: 'LineString' as const,
      coordinates: track.points as [number, number][],
    }));
    const box = boxOf([...features.map((each) => each.geometry), ...given]);
    if (!box) return;
    fitted.current = made.map;
    fit(made.map, box);
  }, [made, features, tracks]);

  useEffect(() => {
    if (!made) return;
    const crs = crsOf(projection);
    made.tracks.given = (tracks ?? []).map((track) => track.points.flatMap(([x, y]) => worldOf(crs, x, y)));
    made.tracks.redraw();
  }, [made, tracks]);

  useEffect(() => made?.drafts?.show(editable?.draft ?? null), [made, editable?.draft]);

  useEffect(() => {
    made?.base.redraw();
    made?.tracks.redraw();
    made?.points?.recolour();
  }, [made, themeChanges.value]);

  return (
    <div
      ref={holder}
      class="map-view"
      role="application"
      aria-label={`${props.label ?? 'Map'}. Arrow keys move, plus and minus zoom.`}
      style={{ height: props.height ?? '320px' }}
    />
  );
}

function make(
  element: HTMLElement,
  projection: Projection,
  tiles: string,
  points: Points | null,
  latest: { current: MapViewProps },
): Made {
  const map = L.map(element, {
    crs: crsOf(projection),
    zoomAnimation: false,
    fadeAnimation: false,
    zoomSnap: 0.25,
    zoomDelta: 1,
    wheelPxPerZoomLevel: 90,
    minZoom: projection === 'globe' ? 1 : -12,
    maxZoom: 20,
    attributionControl: false,
    zoomControl: false,
    maxBoundsViscosity: 1,
  });
  map.setView([20, 0], 2);
  L.control.zoom({ position: 'topleft' }).addTo(map);
  if (projection === 'globe') L.control.scale({ imperial: false, position: 'bottomleft' }).addTo(map);
  if (tiles && projection === 'globe') L.tileLayer(tiles).addTo(map);
  const made: Made = {
    map,
    base: new BaseLayer(projection, tiles !== ''),
    tracks: new TracksLayer(points),
    pulses: new PulsesLayer(),
    points: points && new PointsLayer(points),
    features: L.layerGroup().addTo(map),
    drafts: null,
  };
  for (const layer of [made.base, made.tracks, made.points, made.pulses]) layer?.addTo(map);
  if (latest.current.editable)
    made.drafts = new DraftLayer(map, (draft) => latest.current.editable?.change(draft));
  if (projection === 'globe' && !tiles) void showWorld(made);
  map.on('click', (event: L.LeafletMouseEvent) => {
    if (latest.current.editable?.draft) return;
    const key = made.points?.keyAt(event.containerPoint.x, event.containerPoint.y);
    if (key) latest.current.onPick?.(key, 'point');
  });
  return made;
}

async function showWorld(made: Made): Promise<void> {
  const world = await loadWorld();
  made.base.setWorld(world, made.map.options.crs!);
}

function fit(map: L.Map, [west, south, east, north]: Box): void {
  const isPoint = west === east && south === north;
  const [middle, bounds] = [L.latLng(south, west), L.latLngBounds([south, west], [north, east])];
  const closest = map.options.crs === L.CRS.Simple ? 20 : 15;
  if (isPoint) map.setView(middle, Math.min(closest, 12), { animate: false });
  else map.fitBounds(bounds, { padding: [48, 48], maxZoom: closest, animate: false });
}

function handleOf(made: Made, projection: Projection): MapHandle {
  const crs = crsOf(projection);
  let drawn = 0;
  return {
    wake() {
      made.points?.wake();
      const now = performance.now();
      if (now - drawn < 200) return;
      drawn = now;
      made.tracks.redraw();
    },
    ring: (x, y) => made.pulses.ring(...worldOf(crs, x, y)),
    fit: (box) => fit(made.map, box),
    choose(key) {
      made.tracks.chosen = key;
      made.tracks.redraw();
    },
  };
}
