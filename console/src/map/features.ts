/** Geometries on the map: regions, members, matches and lines between them, each with a name as text. */

import type { Geometry, Position } from 'geojson';
import L from 'leaflet';

export type FeatureKind = 'region' | 'event' | 'member' | 'match' | 'distance';

export interface MapFeature {
  id: string;
  geometry: Geometry;
  kind: FeatureKind;
  label: string;
}

const RADIUS: Record<FeatureKind, number> = { region: 4, event: 5, member: 7, match: 8, distance: 1 };

/** Shows features in place of the ones before. */
export function showFeatures(
  group: L.LayerGroup,
  features: readonly MapFeature[],
  onPick: (id: string) => void,
): void {
  group.clearLayers();
  for (const feature of features) {
    for (const layer of layersOf(feature.geometry, feature.kind)) {
      layer.on('click', (event: L.LeafletMouseEvent) => {
        L.DomEvent.stopPropagation(event);
        onPick(feature.id);
      });
      if (feature.label) {
        const isAlways = feature.kind !== 'event' && feature.kind !== 'match';
        layer.bindTooltip(textElement(feature.label), {
          permanent: isAlways,
          direction: feature.kind === 'member' ? 'auto' : 'center',
          className: `map-label map-label-${feature.kind}`,
          offset: feature.kind === 'member' ? [8, 0] : [0, 0],
        });
      }
      layer.addTo(group);
    }
  }
}

function textElement(text: string): HTMLElement {
  const element = document.createElement('span');
  element.textContent = text;
  return element;
}

function layersOf(geometry: Geometry, kind: FeatureKind): L.Path[] {
  const options = { className: `map-feature map-${kind}`, bubblingMouseEvents: false };
  switch (geometry.type) {
    case 'Point':
      return [L.circleMarker(latLngOf(geometry.coordinates), { ...options, radius: RADIUS[kind] })];
    case 'MultiPoint':
      return geometry.coordinates.map((each) =>
        L.circleMarker(latLngOf(each), { ...options, radius: RADIUS[kind] }),
      );
    case 'LineString':
      return [L.polyline(geometry.coordinates.map(latLngOf), options)];
    case 'MultiLineString':
      return [
        L.polyline(
          geometry.coordinates.map((line) => line.map(latLngOf)),
          options,
        ),
      ];
    case 'Polygon':
      return [
        L.polygon(
          geometry.coordinates.map((ring) => ring.map(latLngOf)),
          options,
        ),
      ];
    case 'MultiPolygon':
      return [
        L.polygon(
          geometry.coordinates.map((rings) => rings.map((ring) => ring.map(latLngOf))),
          options,
        ),
      ];
    case 'GeometryCollection':
      return geometry.geometries.flatMap((part) => layersOf(part, kind));
  }
}

function latLngOf([x = 0, y = 0]: Position): L.LatLng {
  return L.latLng(y, x);
}
