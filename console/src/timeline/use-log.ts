/** The log as the timeline page sees it: following what comes, or standing somewhere in the past. */

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  api,
  asProblem,
  type EventPage,
  type MatchPage,
  type Problem,
  type Statistics,
  type StoredEvent,
} from '../api';
import { Buffer } from './buffer';
import { followEvents, followMatches } from './following';
import { instantOf, textOf } from './instants';

const REFRESH = 400;
const ASK_STATISTICS = 2000;
const PAGE = 1000;

export interface Log {
  buffer: Buffer;
  /** Rises when the buffer changed. */
  changes: number;
  isFollowing: boolean;
  watermark: number | null;
  /** When the oldest stored event was received; null until it is known. */
  begins: number | null;
  problem: Problem | null;
  follow(isFollowing: boolean): void;
  /** Stands still and shows what was received up to an instant. */
  goTo(received: number): Promise<void>;
  /** Adds the page before the first event at hand, or the one behind the last. */
  more(where: 'earlier' | 'later'): Promise<void>;
}

export function useLog(): Log {
  const buffer = useMemo(() => new Buffer(), []);
  const [changes, setChanges] = useState(0);
  const [isFollowing, setFollowing] = useState(true);
  const [watermark, setWatermark] = useState<number | null>(null);
  const [begins, setBegins] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isDirty = useRef(false);
  const failed = useCallback((error: unknown) => setProblem(asProblem(error)), []);

  const take = useCallback(async (events: readonly StoredEvent[]): Promise<void> => {
    buffer.addEvents(events);
    const times = buffer.times;
    if (times) {
      const query = { since: textOf(times[0]), until: textOf(times[1] + 1), limit: PAGE };
      const page = await api.get<MatchPage>('/v1/matches', { query });
      buffer.addMatches(page.matches);
    }
    setChanges((count) => count + 1);
  }, []);

  useEffect(() => {
    const timer = setInterval(() => {
      if (isDirty.current) setChanges((count) => count + 1);
      isDirty.current = false;
    }, REFRESH);
    return () => clearInterval(timer);
  }, []);

  useEffect(() => {
    if (!isFollowing) return;
    buffer.clear();
    const stopEvents = followEvents({
      onEvents: (events) => {
        buffer.addEvents(events);
        isDirty.current = true;
      },
      onProblem: setProblem,
    });
    const stopMatches = followMatches(
      (matches) => {
        buffer.addMatches(matches);
        isDirty.current = true;
      },
      setProblem,
      PAGE,
    );
    return () => {
      stopEvents();
      stopMatches();
    };
  }, [isFollowing]);

  useEffect(() => {
    const ask = (): void =>
      void api
        .get<Statistics>('/v1/statistics')
        .then(({ now }) => setWatermark(instantOf(now.watermark)), failed);
    ask();
    const timer = setInterval(ask, ASK_STATISTICS);
    api.get<EventPage>('/v1/events', { query: { limit: 1 } }).then((page) => {
      setBegins(instantOf(page.events[0]?.received));
    }, failed);
    return () => clearInterval(timer);
  }, []);

  async function goTo(received: number): Promise<void> {
    setFollowing(false);
    const query = { until: textOf(received), newest: true, limit: PAGE };
    try {
      const page = await api.get<EventPage>('/v1/events', { query });
      buffer.clear();
      await take(page.events);
    } catch (error) {
      failed(error);
    }
  }

  async function more(where: 'earlier' | 'later'): Promise<void> {
    setFollowing(false);
    const positions = buffer.positions;
    if (!positions) return;
    const [first, last] = positions;
    const query =
      where === 'earlier' ? { before: first, newest: true, limit: PAGE } : { after: last, limit: PAGE };
    try {
      await take((await api.get<EventPage>('/v1/events', { query })).events);
    } catch (error) {
      failed(error);
    }
  }

  return { buffer, changes, isFollowing, watermark, begins, problem, follow: setFollowing, goTo, more };
}
