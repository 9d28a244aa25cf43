/** The key that tells things apart, such as the truck of a position: an attribute of the event. */

import type { CloudEvent } from '../api';

export const NO_KEY = '(none)';
export const DEFAULT_KEY = 'source';

/** The value at a path such as `source` or `data.truck.id`, as text; a path without `data.` is looked up there, too. */
export function keyOf(event: CloudEvent, path: string): string {
  const value = valueAt(event, path.split('.')) ?? valueAt(event.data, path.split('.'));
  if (value === undefined || value === null) return NO_KEY;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function valueAt(from: unknown, path: readonly string[]): unknown {
  let found = from;
  for (const part of path) {
    if (found === null || typeof found !== 'object') return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
