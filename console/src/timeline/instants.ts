/** Instants are milliseconds since 1970 with a fraction for microseconds. */

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const FRACTION = /\.(\d{1,9})/;

/** The instant of a time as the service writes it; null for none or for what is no time. */
export function instantOf(text: string | null | undefined): number | null {
  if (!text) return null;
  const fraction = FRACTION.exec(text)?.[1] ?? '';
  const whole = Date.parse(text.replace(FRACTION, ''));
  return Number.isNaN(whole) ? null : whole + Number(`0.${fraction || '0'}`) * SECOND;
}

/** A time as the service reads it, to the microsecond. */
export function textOf(instant: number): string {
  const micros = Math.round(instant * 1000);
  const whole = Math.floor(micros / 1_000_000);
  const fraction = String(micros - whole * 1_000_000).padStart(6, '0');
  return new Date(whole * SECOND).toISOString().replace('.000Z', `.${fraction}Z`);
}

/** A time for people, in their time zone: the date where it is not that of `beside`, no needless digits. */
export function shownInstant(instant: number, beside?: number): string {
  const clock = `${clockOf(instant, true)}.${textOf(instant).slice(20, -1)}`.replace(/\.?0+$/, '');
  const isSameDay = beside !== undefined && dateOf(beside) === dateOf(instant);
  return isSameDay ? clock : `${dateOf(instant)} ${clock}`;
}

/** The day, such as 2026-11-17. */
export function dateOf(instant: number): string {
  const date = new Date(instant);
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}

/** Hours and minutes on a clock of 24 hours, with seconds where they are asked for. */
export function clockOf(instant: number, hasSeconds: boolean): string {
  const date = new Date(instant);
  const parts = [date.getHours(), date.getMinutes(), ...(hasSeconds ? [date.getSeconds()] : [])];
  return parts.map(two).join(':');
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

const UNITS: readonly (readonly [number, string])[] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
  [1, 'ms'],
];

/** A duration in its two largest units, such as "1 h 5 min". */
export function shownDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '−' : '';
  const length = Math.abs(milliseconds);
  const first = UNITS.findIndex(([unit]) => length >= unit);
  if (first < 0) return length === 0 ? '0 s' : `${sign}${Math.round(length * 1000)} µs`;
  const [unit, name] = UNITS[first]!;
  const next = UNITS[first + 1];
  if (!next || unit <= SECOND) {
    return `${sign}${Number((length / unit).toFixed(3))} ${name}`;
  }
  const rest = Math.floor((length % unit) / next[0]);
  const head = `${sign}${Math.floor(length / unit)} ${name}`;
  return rest ? `${head} ${rest} ${next[1]}` : head;
}
