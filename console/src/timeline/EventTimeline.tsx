/** Items by time and key on a canvas: moved and zoomed by hand, wheel or keys, picked by click or Enter. */

import type { JSX } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { themeChanges } from '../theme';
import { AXIS, draw, instantAt, itemAt, LANE, palette, type Layout } from './drawing';
import { listenTo, viewByKey } from './gestures';
import { shownDuration, shownInstant, textOf } from './instants';
import { extentOf, lanesOf, type TimelineItem, type TimelineSpan } from './lanes';
import type { View } from './view';
import './timeline.css';

export type { TimelineItem, TimelineSpan } from './lanes';

export interface EventTimelineProps {
  items: readonly TimelineItem[];
  spans?: readonly TimelineSpan[];
  watermark?: number | null;
  onPick?: (item: TimelineItem) => void;
  /** The stretch of time to show; without it the timeline shows everything and keeps its own. */
  view?: View | null;
  onView?: (view: View) => void;
  /** The height in pixels at most; lanes beyond it are scrolled to. */
  tallest?: number;
  label?: string;
}

interface Hovered {
  item: TimelineItem;
  x: number;
  y: number;
}

const NO_SPANS: readonly TimelineSpan[] = [];
const HELP =
  'Arrow keys move, plus and minus zoom, Home shows all, N and P go from one to the next, Enter opens it.';

export function EventTimeline(props: EventTimelineProps): JSX.Element {
  const { items, spans = NO_SPANS, watermark = null, onPick, tallest = 420 } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [own, setOwn] = useState<View | null>(null);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const [selected, setSelected] = useState<TimelineItem | null>(null);
  const [scrolled, setScrolled] = useState(0);

  const lanes = useMemo(() => lanesOf(items, spans), [items, spans]);
  const whole = useMemo(() => extentOf(items, spans), [items, spans]);
  const view: View = props.view ?? own ?? whole ?? [Date.now() - 60_000, Date.now()];
  const full = AXIS + Math.max(1, lanes.length) * LANE + 1;
  const height = Math.min(full, AXIS + Math.floor((tallest - AXIS) / LANE) * LANE + 1);
  const gutter = width < 520 ? 84 : 148;
  const layout: Layout = { width, height, gutter, scrolled, view };

  const setView = useCallback(
    (next: View) => {
      if (props.onView) props.onView(next);
      if (!props.view) setOwn(next);
    },
    [props.onView, props.view],
  );

  const now = useRef({ layout, lanes, setView, onPick, choose });
  now.current = { layout, lanes, setView, onPick, choose };

  function choose(item: TimelineItem): void {
    setSelected(item);
    onPick?.(item);
  }

  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current!;
    const at = (): (typeof now)['current'] => now.current;
    return listenTo(element, {
      view: () => at().layout.view,
      instantAt: (x) => instantAt(at().layout, x),
      room: () => at().layout.width - at().layout.gutter,
      change: (next) => at().setView(next),
      scroll: (by) => {
        scroller.current!.scrollTop += by;
      },
      hover: (x, y) => {
        const item = itemAt(at().lanes, at().layout, x, y);
        setHovered(item ? { item, x, y } : null);
      },
      leave: () => setHovered(null),
      click: (x, y) => {
        const item = itemAt(at().lanes, at().layout, x, y);
        if (item) at().choose(item);
      },
    });
  }, []);

  useLayoutEffect(() => {
    const element = canvas.current!;
    if (!width) return;
    const ratio = devicePixelRatio || 1;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    const context = element.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const picture = { lanes, spans, watermark, selected: selected?.id ?? null };
    element.dataset.marks = String(draw(context, layout, picture, palette()));
    element.dataset.lanes = String(lanes.length);
    element.dataset.watermark = watermark === null ? '' : textOf(watermark);
  }, [
    lanes,
    spans,
    watermark,
    selected,
    width,
    height,
    gutter,
    scrolled,
    view[0],
    view[1],
    themeChanges.value,
  ]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = viewByKey(event.key, view, whole);
    const step = { n: 1, p: -1 }[event.key.toLowerCase()];
    if (next) setView(next);
    else if (step) stepTo(step);
    else if (event.key === 'Enter' && selected) onPick?.(selected);
    else return;
    event.preventDefault();
  }

  function stepTo(step: number): void {
    const ordered = items.toSorted((a, b) => a.start - b.start);
    if (ordered.length === 0) return;
    const index = selected
      ? ordered.findIndex((item) => item.id === selected.id)
      : step > 0
        ? -1
        : ordered.length;
    const item = ordered[Math.min(ordered.length - 1, Math.max(0, index + step))]!;
    setSelected(item);
    if (item.start < view[0] || item.start > view[1]) {
      const half = (view[1] - view[0]) / 2;
      setView([item.start - half, item.start + half]);
    }
  }

  return (
    <div class="timeline">
      <div
        class="timeline-scroll"
        ref={scroller}
        role="application"
        aria-label={`${props.label ?? 'Timeline'}. ${HELP}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
        style={{ height: `${height}px` }}
      >
        <div style={{ height: `${full}px` }}>
          <canvas ref={canvas} class="timeline-canvas" style={{ height: `${height}px` }} />
        </div>
      </div>
      {hovered && <Tip hovered={hovered} width={width} />}
      <p class="timeline-picked" aria-live="polite">
        {selected && (
          <>
            <strong>{selected.label}</strong> {shownStretch(selected)}
          </>
        )}
      </p>
    </div>
  );
}

function Tip(props: { hovered: Hovered; width: number }): JSX.Element {
  const { item, x, y } = props.hovered;
  const left = x > props.width - 260 ? x - 252 : x + 12;
  return (
    <div class="timeline-tip" style={{ left: `${left}px`, top: `${y + 14}px` }} aria-hidden="true">
      <strong>{item.label}</strong>
      <span>{item.lane}</span>
      <span>{shownStretch(item)}</span>
      {item.kind === 'late' && <span>came late</span>}
    </div>
  );
}

function shownStretch(item: TimelineItem): string {
  if (item.end === item.start) return shownInstant(item.start);
  const length = shownDuration(item.end - item.start);
  return `${shownInstant(item.start)} to ${shownInstant(item.end, item.start)}, ${length}`;
}
