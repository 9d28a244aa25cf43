import { signal } from '@preact/signals';

/** The key of this tab; it goes along as a header and never into an address. */

const KEPT = 'tocsin.key';

/** Why a key is asked for; null while none is. */
export const keyWanted = signal<string | null>(null);

let given: (() => void) | null = null;
let waiting: Promise<void> | null = null;

export function keptKey(): string | null {
  return sessionStorage.getItem(KEPT);
}

export function authorization(): Record<string, string> {
  const key = keptKey();
  return key ? { Authorization: `Bearer ${key}` } : {};
}

/** Waits until the visitor has given a key; all requests that were refused wait for the same one. */
export function askForKey(reason: string): Promise<void> {
  keyWanted.value = reason;
  waiting ??= new Promise((resolve) => {
    given = resolve;
  });
  return waiting;
}

export function giveKey(key: string): void {
  sessionStorage.setItem(KEPT, key);
  keyWanted.value = null;
  waiting = null;
  given?.();
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEPT);
}
