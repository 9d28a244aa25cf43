import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A list of rows of one height, of which only those in sight are in the page. */
export function WindowedList({
  count,
  rowHeight,
  label,
  row,
  onRange,
}: {
  count: number;
  rowHeight: number;
  label: string;
  row: (index: number) => ComponentChildren;
  /** Told which rows are in sight, so that they can be fetched. */
  onRange?: (first: number, last: number) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - 8);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + 8);
  useLayoutEffect(() => onRange?.(first, last), [first, last, count]);
  const rows = [];
  for (let index = first; index < last; index++)
    rows.push(
      <li
        key={index}
        style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
        aria-setsize={count}
        aria-posinset={index + 1}
      >
        {row(index)}
      </li>,
    );
  return (
    <div ref={host} class="windowed" tabIndex={0} role="region" aria-label={label}>
      <ul style={{ height: `${count * rowHeight}px` }}>{rows}</ul>
    </div>
  );
}
