/** Rings that widen and fade where something rang. */

import type L from 'leaflet';
import { themeColor } from '../theme';
import { CanvasLayer, type Frame } from './canvas-layer';

const LASTS = 2600;
const WAVES = 3;
const WIDEST = 34;
const MOST = 120;

interface Pulse {
  x: number;
  y: number;
  began: number;
}

export class PulsesLayer extends CanvasLayer {
  private pulses: Pulse[] = [];
  private asked = 0;

  constructor() {
    super('pulses', 460);
  }

  override onRemove(map: L.Map): this {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
    return super.onRemove(map);
  }

  /** Something rang at a place of the world. */
  ring(x: number, y: number): void {
    this.pulses.push({ x, y, began: performance.now() });
    if (this.pulses.length > MOST) this.pulses.shift();
    this.canvas.dataset.rung = String(Number(this.canvas.dataset.rung ?? 0) + 1);
    if (!this.asked && this.map) this.asked = requestAnimationFrame(() => this.step());
  }

  private step(): void {
    this.asked = 0;
    const now = performance.now();
    this.pulses = this.pulses.filter((pulse) => now - pulse.began < LASTS);
    this.redraw();
    if (this.pulses.length && this.map) this.asked = requestAnimationFrame(() => this.step());
  }

  protected draw(frame: Frame): void {
    const context = this.cleared(frame);
    const now = performance.now();
    context.strokeStyle = context.fillStyle = themeColor('--ring');
    context.lineWidth = 2.5;
    for (const pulse of this.pulses) {
      const age = (now - pulse.began) / LASTS;
      const x = pulse.x * frame.scale - frame.originX;
      const y = pulse.y * frame.scale - frame.originY;
      context.globalAlpha = 1 - age;
      context.beginPath();
      context.arc(x, y, 5, 0, 2 * Math.PI);
      context.fill();
      const phase = (age * WAVES) % 1;
      context.globalAlpha = (1 - phase) * (1 - age * 0.6);
      context.beginPath();
      context.arc(x, y, 5 + phase * WIDEST, 0, 2 * Math.PI);
      context.stroke();
    }
    context.globalAlpha = 1;
  }
}
