/** Fingers, mouse, wheel and keys on a timeline, told as moves and zooms of its view. */

import { moved, zoomed, type View } from './view';

export interface Surface {
  view(): View;
  instantAt(x: number): number;
  room(): number;
  change(view: View): void;
  scroll(by: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
}

const WHEEL = 0.0022;
const STILL = 4;

/** Listens until the returned function is called. */
export function listenTo(element: HTMLElement, surface: Surface): () => void {
  const fingers = new Map<number, PointerEvent>();
  let travelled = 0;

  const placed = (event: PointerEvent | WheelEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    if (fingers.size === 0) travelled = 0;
    fingers.set(event.pointerId, event);
  };

  const move = (event: PointerEvent): void => {
    const before = fingers.get(event.pointerId);
    if (!before) return surface.hover(...placed(event));
    const dx = event.clientX - before.clientX;
    const dy = event.clientY - before.clientY;
    travelled += Math.abs(dx) + Math.abs(dy);
    if (fingers.size === 1) {
      if (travelled > STILL) {
        surface.change(moved(surface.view(), -dx / surface.room()));
        surface.scroll(-dy);
      }
    } else pinch(event, before);
    fingers.set(event.pointerId, event);
  };

  const pinch = (event: PointerEvent, before: PointerEvent): void => {
    const other = [...fingers.values()].find((each) => each.pointerId !== event.pointerId);
    if (!other) return;
    const was = Math.max(20, Math.abs(before.clientX - other.clientX));
    const is = Math.max(20, Math.abs(event.clientX - other.clientX));
    const middle = (placed(event)[0] + placed(other)[0]) / 2;
    surface.change(zoomed(surface.view(), was / is, surface.instantAt(middle)));
  };

  const up = (event: PointerEvent): void => {
    const was = fingers.delete(event.pointerId);
    if (was && fingers.size === 0 && travelled <= STILL) surface.click(...placed(event));
  };

  const cancel = (event: PointerEvent): void => void fingers.delete(event.pointerId);

  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      surface.change(moved(surface.view(), by / surface.room()));
    } else {
      surface.change(
        zoomed(surface.view(), Math.exp(event.deltaY * WHEEL), surface.instantAt(placed(event)[0])),
      );
    }
  };

  element.addEventListener('pointerdown', down);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', cancel);
  element.addEventListener('pointerleave', surface.leave);
  element.addEventListener('wheel', wheel, { passive: false });
  return () => {
    element.removeEventListener('pointerdown', down);
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', up);
    element.removeEventListener('pointercancel', cancel);
    element.removeEventListener('pointerleave', surface.leave);
    element.removeEventListener('wheel', wheel);
  };
}

/** The view that a key asks for; null where it asks for none. */
export function viewByKey(key: string, view: View, whole: View | null): View | null {
  const middle = (view[0] + view[1]) / 2;
  switch (key) {
    case 'ArrowLeft':
      return moved(view, -0.15);
    case 'ArrowRight':
      return moved(view, 0.15);
    case '+':
    case '=':
      return zoomed(view, 0.6, middle);
    case '-':
      return zoomed(view, 1 / 0.6, middle);
    case 'Home':
    case '0':
      return whole;
    default:
      return null;
  }
}
