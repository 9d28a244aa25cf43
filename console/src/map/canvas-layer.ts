/** A canvas over the whole map that stays in place while the map moves below it, and is drawn again then. */

import L from 'leaflet';

/** How world coordinates become places on the canvas: place = world × scale − origin. */
export interface Frame {
  width: number;
  height: number;
  ratio: number;
  scale: number;
  originX: number;
  originY: number;
}

export abstract class CanvasLayer extends L.Layer {
  protected map: L.Map | null = null;
  readonly canvas = document.createElement('canvas');

  constructor(
    private readonly paneName: string,
    private readonly level: number,
  ) {
    super({});
    this.canvas.className = `map-canvas map-${paneName}`;
    this.canvas.setAttribute('aria-hidden', 'true');
  }

  override onAdd(map: L.Map): this {
    this.map = map;
    const pane = map.getPane(this.paneName) ?? map.createPane(this.paneName);
    pane.style.zIndex = String(this.level);
    pane.style.pointerEvents = 'none';
    pane.append(this.canvas);
    map.on('move zoom viewreset resize', this.redraw, this);
    this.redraw();
    return this;
  }

  override onRemove(map: L.Map): this {
    map.off('move zoom viewreset resize', this.redraw, this);
    this.canvas.remove();
    this.map = null;
    return this;
  }

  /** Draws again, because the map moved or what is shown changed. */
  redraw(): void {
    const frame = this.frame();
    if (frame) this.draw(frame);
  }

  protected abstract draw(frame: Frame): void;

  /** Puts the canvas over what is seen of the map, and tells how to draw on it. */
  protected frame(): Frame | null {
    const map = this.map;
    if (!map) return null;
    const size = map.getSize();
    if (size.x === 0 || size.y === 0) return null;
    const ratio = devicePixelRatio || 1;
    const [wide, tall] = [Math.round(size.x * ratio), Math.round(size.y * ratio)];
    if (this.canvas.width !== wide || this.canvas.height !== tall) {
      this.canvas.width = wide;
      this.canvas.height = tall;
      this.canvas.style.width = `${size.x}px`;
      this.canvas.style.height = `${size.y}px`;
    }
    L.DomUtil.setPosition(this.canvas, map.containerPointToLayerPoint([0, 0]));
    const origin = map.getPixelBounds().min!;
    return {
      width: size.x,
      height: size.y,
      ratio,
      scale: map.options.crs!.scale(map.getZoom()),
      originX: origin.x,
      originY: origin.y,
    };
  }

  /** The context to draw with in CSS pixels, cleared. */
  protected cleared(frame: Frame): CanvasRenderingContext2D {
    const context = this.canvas.getContext('2d')!;
    context.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    context.clearRect(0, 0, frame.width, frame.height);
    return context;
  }
}

/** World coordinates in the reference system of a map, the same at every zoom. */
export function worldOf(crs: L.CRS, x: number, y: number): [number, number] {
  const point = crs.latLngToPoint(L.latLng(y, x), 0);
  const scale = crs.scale(0);
  return [point.x / scale, point.y / scale];
}
