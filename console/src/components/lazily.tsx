import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api';
import { Loading, ProblemNote } from './notes';

/** A component whose code is fetched when it is first shown. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Lazily(props: P) {
    const [found, setFound] = useState<{ Shown: ComponentType<P> } | null>(loaded && { Shown: loaded });
    const [problem, setProblem] = useState<Problem | null>(null);
    useEffect(() => {
      if (found) return;
      let isWanted = true;
      load().then(
        (component) => {
          loaded = component;
          if (isWanted) setFound({ Shown: component });
        },
        (error: unknown) => isWanted && setProblem(asProblem(error)),
      );
      return () => {
        isWanted = false;
      };
    }, []);
    if (problem) return <ProblemNote problem={problem} />;
    return found ? <found.Shown {...props} /> : <Loading />;
  };
}
