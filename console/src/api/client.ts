import { askForKey, authorization, keptKey } from './key';
import { problemOf } from './problem';
import { stream } from './stream';

/** The public HTTP API. Paths have no leading slash's host: the console may live below a prefix. */

type Query = Record<string, string | number | boolean | undefined | null>;

export interface Options {
  query?: Query;
  signal?: AbortSignal;
}

/** The address of a path such as `/v1/matches`, with what is asked of it. */
export function address(path: string, query: Query = {}): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') asked.set(name, String(value));
  const text = asked.toString();
  return '.' + path + (text ? (path.includes('?') ? '&' : '?') + text : '');
}

async function send(method: string, path: string, options: Options, init: RequestInit): Promise<Response> {
  for (;;) {
    const sent = keptKey();
    const headers = { Accept: 'application/json', ...(init.headers as object), ...authorization() };
    const response = await fetch(address(path, options.query), {
      ...init,
      method,
      headers,
      signal: options.signal,
    });
    if (response.ok) return response;
    const problem = await problemOf(response);
    if (response.status !== 401) throw problem;
    if (sent === keptKey()) await askForKey(sent ? problem.detail : '');
  }
}

async function read<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T;
  const type = response.headers.get('Content-Type') ?? '';
  return (type.includes('json') ? await response.json() : await response.text()) as T;
}

async function withBody<T>(method: string, path: string, body: unknown, options: Options): Promise<T> {
  const init: RequestInit =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
  return read<T>(await send(method, path, options, init));
}

export const api = {
  async get<T>(path: string, options: Options = {}): Promise<T> {
    return read<T>(await send('GET', path, options, {}));
  },
  put<T>(path: string, body: unknown, options: Options = {}): Promise<T> {
    return withBody<T>('PUT', path, body, options);
  },
  post<T>(path: string, body?: unknown, options: Options = {}): Promise<T> {
    return withBody<T>('POST', path, body, options);
  },
  /** Sends a text as it is, such as the corrected input of a dead letter. */
  async postText<T>(path: string, text: string, type: string, options: Options = {}): Promise<T> {
    const init = { body: text, headers: { 'Content-Type': type } };
    return read<T>(await send('POST', path, options, init));
  },
  async delete(path: string, options: Options = {}): Promise<void> {
    await send('DELETE', path, options, {});
  },
  stream,
};
