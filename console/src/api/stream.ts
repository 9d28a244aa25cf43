import { askForKey, authorization, keptKey } from './key';
import { asProblem, problemOf, type Problem } from './problem';

/** Server-Sent Events by fetch, because an EventSource can send no header: the key would have to be
 * in the address. A stream that ends is opened again behind the last id that came.
 */

export interface StreamOptions {
  /** Begin behind this position. */
  after?: number | string;
  onOpen?: () => void;
  /** What went wrong; the stream is tried again by itself unless it `isFinal`. */
  onProblem?: (problem: Problem, isFinal: boolean) => void;
}

export interface Stream {
  close(): void;
}

export interface Message {
  id: string;
  event: string;
  data: string;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** Follows a stream; each message's data is JSON. */
export function stream<T>(path: string, onMessage: (data: T, id: string) => void, options: StreamOptions = {}): Stream {
  const closed = new AbortController();
  void follow(path, onMessage, options, closed.signal);
  return { close: () => closed.abort() };
}

async function follow<T>(
  path: string,
  onMessage: (data: T, id: string) => void,
  options: StreamOptions,
  closed: AbortSignal,
): Promise<void> {
  let last = options.after === undefined ? '' : String(options.after);
  let pause = FIRST_PAUSE;
  while (!closed.aborted) {
    try {
      const sent = keptKey();
      const response = await fetch('.' + path, {
        headers: {
          Accept: 'text/event-stream',
          ...(last ? { 'Last-Event-ID': last } : {}),
          ...authorization(),
        },
        cache: 'no-store',
        signal: closed,
      });
      if (response.status === 401) {
        const problem = await problemOf(response);
        if (sent === keptKey()) await askForKey(sent ? problem.detail : '');
        continue;
      }
      if (!response.ok || !response.body) {
        const problem = await problemOf(response);
        const isFinal = response.status >= 400 && response.status < 500 && response.status !== 429;
        options.onProblem?.(problem, isFinal);
        if (isFinal) return;
      } else {
        options.onOpen?.();
        pause = FIRST_PAUSE;
        for await (const message of messagesOf(response.body)) {
          if (closed.aborted) return;
          if (message.id) last = message.id;
          if (message.data) onMessage(JSON.parse(message.data) as T, message.id);
        }
      }
    } catch (error) {
      if (closed.aborted) return;
      options.onProblem?.(asProblem(error), false);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** The messages of a body, as the standard's section on parsing an event stream has it. */
export async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const message = readBlock(block);
        if (message) yield message;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function readBlock(block: string): Message | null {
  const message: Message = { id: '', event: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    if (!line || line.startsWith(':')) continue;
    const at = line.indexOf(':');
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'id') message.id = value;
    else if (name === 'event') message.event = value;
  }
  message.data = data.join('\n');
  return message.data || message.id ? message : null;
}
