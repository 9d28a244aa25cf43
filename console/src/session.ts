import { signal } from '@preact/signals';
import { api, asProblem, type Problem, type Session } from './api';

/** Who the visitor is to the service; null until it has answered. */
export const session = signal<Session | null>(null);

/** Why the service does not answer; null while it does. */
export const trouble = signal<Problem | null>(null);

const AGAIN = 3_000;

/** Asks the service who we are, again and again until it answers. */
export async function openSession(): Promise<void> {
  try {
    session.value = await api.get<Session>('/v1/session');
    trouble.value = null;
  } catch (error) {
    trouble.value = asProblem(error);
    setTimeout(() => void openSession(), AGAIN);
  }
}

export function may(scope: string): boolean {
  const scopes = session.value?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes('admin');
}
