import { computed, signal } from '@preact/signals';

/** Where the visitor is: the path behind `#`, in parts that are decoded, and what is asked behind `?`. */
export interface Route {
  path: string;
  parts: string[];
  query: URLSearchParams;
}

/** Reads the part of an address behind `#`; what is empty is the live page. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const parts = path.split('/').filter(Boolean).map(decode);
  return {
    path: '/' + parts.map(encodeURIComponent).join('/'),
    parts: parts.length ? parts : ['live'],
    query: new URLSearchParams(query),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const route = signal<Route>(readRoute(location.hash));
addEventListener('hashchange', () => {
  route.value = readRoute(location.hash);
});

/** The first part of the path, which the navigation marks. */
export const section = computed(() => route.value.parts[0] ?? 'live');

/** What a pattern such as `/matches/*` finds in a path: the parts at its stars, or null. */
export function matchPath(pattern: string, parts: string[]): string[] | null {
  const wanted = pattern.split('/').filter(Boolean);
  if (wanted.length !== parts.length) return null;
  const params: string[] = [];
  for (const [index, each] of wanted.entries()) {
    const part = parts[index] ?? '';
    if (each === '*') params.push(part);
    else if (each !== part) return null;
  }
  return params;
}

/** An address within the console, with its parts encoded. */
export function href(...parts: string[]): string {
  return '#/' + parts.map(encodeURIComponent).join('/');
}

/** An address with a question, such as `#/matches?subscription=cheap`. */
export function hrefWith(part: string, query: Record<string, string>): string {
  return `${href(part)}?${new URLSearchParams(query)}`;
}

export function goTo(address: string): void {
  location.hash = address.replace(/^#/, '');
}
