import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { themeChanges, themeColor } from '../theme';
import { useWidth } from './hooks';

export interface Series {
  label: string;
  values: number[];
  /** A variable of the style sheet, such as `--accent`. */
  color: string;
}

/** Several counts over the same minutes. */
export function Chart({
  seconds,
  series,
  height,
  label,
}: {
  seconds: number[];
  series: Series[];
  height: number;
  label: string;
}) {
  const [host, width] = useWidth<HTMLDivElement>();
  const plot = useRef<uPlot | null>(null);
  const changes = themeChanges.value;
  const names = series.map((each) => each.label).join();
  useEffect(() => {
    if (!host.current || width < 60) return;
    plot.current = new uPlot(
      options(series, width, height),
      [seconds, ...series.map((each) => each.values)],
      host.current,
    );
    return () => plot.current?.destroy();
  }, [changes, names, width, height]);
  useEffect(() => {
    plot.current?.setData([seconds, ...series.map((each) => each.values)]);
  }, [seconds, series]);
  return <div ref={host} class="chart" role="img" aria-label={label} />;
}

function options(series: Series[], width: number, height: number): uPlot.Options {
  const muted = themeColor('--muted');
  const axis = {
    stroke: muted,
    grid: { stroke: themeColor('--border'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width,
    height,
    padding: [8, 4, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    legend: { live: true },
    scales: { x: { time: true }, y: { range: (_, __, highest) => [0, Math.max(highest * 1.1, 1)] } },
    axes: [
      { ...axis, size: 28, grid: { show: false }, space: 70, values: (_, splits) => splits.map(clock) },
      { ...axis, size: 44, space: 34 },
    ],
    series: [
      { label: 'minute', value: (_, raw) => (raw == null ? '–' : clock(raw)) },
      ...series.map((each) => ({
        label: each.label,
        stroke: themeColor(each.color),
        width: 1.6,
        points: { show: false },
        value: (_: uPlot, raw: number | null) => (raw == null ? '–' : raw.toLocaleString('en')),
      })),
    ],
  };
}

function clock(second: number): string {
  return new Date(second * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
