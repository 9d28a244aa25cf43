/** Counts by minute as a small line with its area; it says its sum to those who do not see it. */
export function Sparkline({
  values,
  width = 120,
  height = 24,
  label,
  tone = 'accent',
}: {
  values: number[];
  width?: number;
  height?: number;
  label: string;
  tone?: 'accent' | 'ring' | 'bad' | 'muted';
}) {
  const highest = Math.max(...values, 1);
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const points = values.map((value, index) => {
    const y = height - 1.5 - (value / highest) * (height - 3);
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
  });
  const line = points.length ? `M${points.join('L')}` : '';
  return (
    <svg
      class={`spark spark-${tone}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {line && <path class="spark-area" d={`${line}L${width},${height}L0,${height}Z`} />}
      {line && <path class="spark-line" d={line} vector-effect="non-scaling-stroke" />}
    </svg>
  );
}
