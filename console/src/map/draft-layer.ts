/** A draft on the map: clicks add corners while it is open; corners are dragged, edges split at their middle. */

import L from 'leaflet';
import {
  addCorner,
  close,
  dropCorner,
  moveCorner,
  regionOf,
  splitEdge,
  tidy,
  type Corner,
  type Draft,
} from './draft';

const HANDLE = 12;

export class DraftLayer {
  private readonly shapes = L.layerGroup();
  private readonly handles = L.layerGroup();
  private draft: Draft | null = null;

  constructor(
    private readonly map: L.Map,
    private readonly change: (draft: Draft) => void,
  ) {
    this.shapes.addTo(map);
    this.handles.addTo(map);
    map.on('click', this.onClick, this);
    map.on('dblclick', this.onDoubleClick, this);
  }

  remove(): void {
    this.map.off('click', this.onClick, this);
    this.map.off('dblclick', this.onDoubleClick, this);
    this.shapes.remove();
    this.handles.remove();
  }

  /** Shows a draft in place of the one before. */
  show(draft: Draft | null): void {
    this.draft = draft;
    this.map.getContainer().classList.toggle('map-drawing', draft?.isOpen ?? false);
    if (draft?.isOpen) this.map.doubleClickZoom.disable();
    else this.map.doubleClickZoom.enable();
    this.drawShapes();
    this.handles.clearLayers();
    draft?.rings.forEach((ring, index) => this.addHandles(draft, ring.corners, index));
  }

  private drawShapes(): void {
    this.shapes.clearLayers();
    const draft = this.draft;
    if (!draft) return;
    const isShape = draft.rings.every((ring) => ring.corners.length >= 3);
    const options = { className: 'map-draft', interactive: false };
    if (isShape && !draft.isOpen) {
      const region = regionOf(draft);
      const polygons = region.type === 'Polygon' ? [region.coordinates] : region.coordinates;
      for (const rings of polygons)
        L.polygon(
          rings.map((ring) => ring.map(([x = 0, y = 0]) => L.latLng(y, x))),
          options,
        ).addTo(this.shapes);
    } else {
      for (const ring of draft.rings) L.polyline(ring.corners.map(latLngOf), options).addTo(this.shapes);
    }
  }

  private addHandles(draft: Draft, corners: readonly Corner[], ring: number): void {
    corners.forEach((corner, index) => {
      const handle = this.handle(corner, 'map-corner');
      handle.on('click', () => this.onCorner(ring, index));
      handle.on('contextmenu', () => this.change(dropCorner(this.draft!, ring, index)));
      handle.on('drag', () => {
        this.draft = moveCorner(this.draft!, ring, index, cornerOf(handle.getLatLng()));
        this.drawShapes();
      });
      handle.on('dragend', () => this.change(this.draft!));
      if (draft.isOpen) return;
      const next = corners[(index + 1) % corners.length]!;
      const middle: Corner = [(corner[0] + next[0]) / 2, (corner[1] + next[1]) / 2];
      const split = this.handle(middle, 'map-edge');
      split.on('click', () => this.change(splitEdge(this.draft!, ring, index, middle)));
      split.on('dragend', () => {
        this.change(splitEdge(this.draft!, ring, index, cornerOf(split.getLatLng())));
      });
    });
  }

  private handle(at: Corner, className: string): L.Marker {
    const icon = L.divIcon({ className, iconSize: [HANDLE, HANDLE] });
    const options = { icon, draggable: true, keyboard: false, bubblingMouseEvents: false };
    return L.marker(latLngOf(at), options).addTo(this.handles);
  }

  private onCorner(ring: number, index: number): void {
    const draft = this.draft;
    if (draft?.isOpen && index === 0 && ring === draft.rings.length - 1) this.change(close(draft));
  }

  private onClick(event: L.LeafletMouseEvent): void {
    if (this.draft?.isOpen) this.change(addCorner(this.draft, cornerOf(event.latlng)));
  }

  /** Both clicks of the two have added a corner; one of them is enough. */
  private onDoubleClick(): void {
    const draft = this.draft;
    const ring = draft?.rings.length ? draft.rings.length - 1 : 0;
    const corners = draft?.rings[ring]?.corners ?? [];
    if (draft?.isOpen && corners.length > 3) this.change(close(dropCorner(draft, ring, corners.length - 1)));
  }
}

function latLngOf([x, y]: Corner): L.LatLng {
  return L.latLng(y, x);
}

function cornerOf({ lng, lat }: L.LatLng): Corner {
  return [tidy(lng), tidy(lat)];
}
