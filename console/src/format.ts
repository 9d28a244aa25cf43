/** Numbers and times as people read them. Instants are RFC 3339 texts of the service. */

const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function count(value: number): string {
  return COUNT.format(value);
}

/** Compact above ten thousand: 12.4K. */
export function short(value: number): string {
  return Math.abs(value) < 10_000 ? COUNT.format(value) : SHORT.format(value);
}

export function rate(value: number): string {
  return value >= 100 ? short(value) : value.toFixed(value >= 10 ? 1 : value > 0 ? 2 : 0);
}

export function seconds(value: number): string {
  if (value < 0.0005) return '0 s';
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 60) return `${value.toFixed(1)} s`;
  if (value < 3600) return `${Math.round(value / 60)} min`;
  if (value < 172_800) return `${(value / 3600).toFixed(1)} h`;
  return `${Math.round(value / 86_400)} d`;
}

/** The time of day, and the day before it where it is not today. */
export function when(instant: string | null | undefined): string {
  if (!instant) return '—';
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  const time = date.toLocaleTimeString('en-GB');
  return date.toDateString() === new Date().toDateString() ? time : `${day(date)} ${time}`;
}

function day(date: Date): string {
  const now = new Date();
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year });
}

/** A sentence of the service with its instants as people read them. */
export function withTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, when);
}

/** How long ago, in one unit: 5 s, 3 min. */
export function ago(instant: string, now = Date.now()): string {
  const passed = (now - Date.parse(instant)) / 1000;
  if (Number.isNaN(passed)) return instant;
  if (passed < 1) return 'now';
  if (passed < 60) return `${Math.floor(passed)} s ago`;
  return `${seconds(passed)} ago`;
}

/** A value in one line, for lists. */
export function oneLine(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : JSON.stringify(value);
}

/** JSON as it is good to read; a text that is none stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
