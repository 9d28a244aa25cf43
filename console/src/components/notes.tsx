import type { ComponentChildren } from 'preact';
import type { Problem } from '../api';

/** A quiet line while something comes. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <p class="loading" role="status">
      {what} …
    </p>
  );
}

/** What went wrong, with the way out that the service tells. */
export function ProblemNote({ problem }: { problem: Pick<Problem, 'code' | 'detail' | 'hint'> }) {
  return (
    <div class="note note-bad" role="alert">
      <strong>{problem.code}</strong>
      <span>{problem.detail}</span>
      {problem.hint && <span class="hint">{problem.hint}</span>}
    </div>
  );
}

/** What a visitor sees where there is nothing yet, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}
