/** Events and matches as the service has them: the newest page first, then each as it comes. */

import {
  api,
  asProblem,
  type EventPage,
  type Match,
  type MatchPage,
  type Problem,
  type StoredEvent,
} from '../api';

export interface Follower {
  onEvents(events: StoredEvent[]): void;
  /** More came than the stream tells; so many were left out. */
  onSkipped?(count: number): void;
  onProblem(problem: Problem): void;
}

type Told = StoredEvent[] | { skipped: number };

/** The newest stored events, then what comes; returns how to stop. */
export function followEvents(follower: Follower, newest = 1000): () => void {
  const ended = new AbortController();
  let stop = (): void => undefined;
  api
    .get<EventPage>('/v1/events', { query: { newest: true, limit: newest }, signal: ended.signal })
    .then((page) => {
      follower.onEvents(page.events);
      const stream = api.stream<Told>(
        '/v1/events/stream',
        (told) => {
          if (Array.isArray(told)) follower.onEvents(told);
          else follower.onSkipped?.(told.skipped);
        },
        { after: page.next, onProblem: (problem, isFinal) => isFinal && follower.onProblem(problem) },
      );
      stop = () => stream.close();
    })
    .catch((error: unknown) => ended.signal.aborted || follower.onProblem(asProblem(error)));
  return () => {
    ended.abort();
    stop();
  };
}

/** The newest matches, oldest first, then each as it comes; returns how to stop. */
export function followMatches(
  onMatches: (matches: Match[], isNew: boolean) => void,
  onProblem: (problem: Problem) => void,
  newest: number,
): () => void {
  const ended = new AbortController();
  let stop = (): void => undefined;
  api
    .get<MatchPage>('/v1/matches', { query: { newest: true, limit: newest }, signal: ended.signal })
    .then((page) => {
      onMatches(page.matches, false);
      const stream = api.stream<Match>('/v1/matches/stream', (match) => onMatches([match], true), {
        after: page.next,
        onProblem: (problem, isFinal) => isFinal && onProblem(problem),
      });
      stop = () => stream.close();
    })
    .catch((error: unknown) => ended.signal.aborted || onProblem(asProblem(error)));
  return () => {
    ended.abort();
    stop();
  };
}
