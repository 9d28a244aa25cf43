/** The live points of the map page: follows events and matches, holds still when paused. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Match, Problem, StoredEvent } from '../api';
import { followEvents, followMatches } from '../timeline/following';
import { middleOf, type Projection } from './geometry';
import { LivePoints } from './live-points';
import { newPoints, type MapHandle } from './MapView';
import { geometryOf } from './wkt';

const REFRESH = 500;
const MOST_MATCHES = 50;

export interface LiveMap {
  live: LivePoints;
  matches: readonly Match[];
  skipped: number;
  problem: Problem | null;
  ready: (handle: MapHandle) => void;
  handle: () => MapHandle | null;
}

export function useLivePoints(projection: Projection, path: string, isPaused: boolean): LiveMap {
  const live = useMemo(() => new LivePoints(newPoints(projection), path), [projection, path]);
  const handle = useRef<MapHandle | null>(null);
  const paused = useRef(isPaused);
  const held = useRef<StoredEvent[]>([]);
  const [matches, setMatches] = useState<readonly Match[]>([]);
  const [skipped, setSkipped] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const rung = useRef<Match[]>([]);
  const [, refresh] = useState(0);
  paused.current = isPaused;

  /** Matches are shown a few times a second, however many come. */
  function showRung(): void {
    const found = rung.current.toReversed();
    if (found.length) setMatches((before) => [...found, ...before].slice(0, MOST_MATCHES));
    rung.current = [];
  }

  useEffect(() => {
    let isFirst = true;
    function take(events: StoredEvent[]): void {
      if (paused.current) {
        held.current = [...held.current, ...events].slice(-5000);
        return;
      }
      if (!live.put(events, performance.now())) return;
      if (isFirst && live.bounds) handle.current?.fit(live.bounds);
      isFirst = false;
      handle.current?.wake();
    }
    const stop = followEvents({
      onEvents: take,
      onSkipped: (count) => setSkipped((before) => before + count),
      onProblem: setProblem,
    });
    let seen = -1;
    const timer = setInterval(() => {
      if (live.points.changes !== seen) refresh((count) => count + 1);
      seen = live.points.changes;
      showRung();
    }, REFRESH);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [live]);

  useEffect(() => {
    if (isPaused || held.current.length === 0) return;
    live.put(held.current, performance.now());
    held.current = [];
    handle.current?.wake();
  }, [isPaused, live]);

  useEffect(
    () =>
      followMatches(
        (found, isNew) => {
          rung.current = [...rung.current, ...found].slice(-MOST_MATCHES);
          const place = geometryOf(found[0]?.place);
          if (isNew && place && !paused.current) handle.current?.ring(...middleOf(place));
        },
        setProblem,
        MOST_MATCHES,
      ),
    [],
  );

  return {
    live,
    matches,
    skipped,
    problem,
    ready: (found) => {
      handle.current = found;
    },
    handle: () => handle.current,
  };
}
