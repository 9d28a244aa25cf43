/** The key that tells things apart, such as the truck of a position: an attribute, as subscriptions write it. */

import type { CloudEvent } from '../api';

export const NO_KEY = '(none)';
export const DEFAULT_KEY = 'ce_source';
const ENVELOPE = 'ce_';
const STEP = /`([^`]*)`|[^.`]+/g;

/** The value at a path such as `ce_source` (of the envelope) or `truck.id` (of the data), as text. */
export function keyOf(event: CloudEvent, path: string): string {
  const value = path.startsWith(ENVELOPE)
    ? event[path.slice(ENVELOPE.length)]
    : valueAt(event.data, stepsOf(path));
  if (value === undefined || value === null) return NO_KEY;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A path for people: attributes of the envelope by their own names. */
export function shownPath(path: string): string {
  return path.startsWith(ENVELOPE) ? path.slice(ENVELOPE.length) : path;
}

function stepsOf(path: string): string[] {
  return [...path.matchAll(STEP)].map((found) => found[1] ?? found[0]);
}

function valueAt(from: unknown, path: readonly string[]): unknown {
  let found = from;
  for (const part of path) {
    if (found === null || typeof found !== 'object') return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
