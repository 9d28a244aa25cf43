import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { api, asProblem, type Problem } from '../api';

export interface Asked<T> {
  data: T | null;
  problem: Problem | null;
  /** Asks again at once. */
  again: () => void;
}

/** What the API answers to a path; asked again every so many milliseconds, if so, while the page is seen. */
export function useApi<T>(path: string | null, every?: number): Asked<T> {
  const [data, setData] = useState<T | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (path === null) return;
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      if (!document.hidden || data === null) {
        try {
          setData(await api.get<T>(path, { signal: left.signal }));
          setProblem(null);
        } catch (error) {
          if (left.signal.aborted) return;
          setProblem(asProblem(error));
        }
      }
      if (every && !left.signal.aborted) timer = setTimeout(() => void ask(), every);
    };
    void ask();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [path, every, asked]);
  const again = useCallback(() => setAsked((before) => before + 1), []);
  return { data, problem, again };
}

/** Runs something the visitor asked for: `isBusy` meanwhile, `problem` where it failed. */
export function useAction(): {
  isBusy: boolean;
  problem: Problem | null;
  run: (act: () => Promise<void>) => void;
  clear: () => void;
} {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const run = (act: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    act()
      .catch((error: unknown) => isHere.current && setProblem(asProblem(error)))
      .finally(() => isHere.current && setBusy(false));
  };
  return { isBusy, problem, run, clear: () => setProblem(null) };
}

/** The value as it was when it last stood still for so many milliseconds. */
export function useSettled<T>(value: T, pause: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}

/** The width of an element, as it changes. */
export function useWidth<E extends HTMLElement>(): [{ current: E | null }, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const found = element.current;
    if (!found) return;
    const observer = new ResizeObserver((entries) => setWidth(Math.floor(entries[0]?.contentRect.width ?? 0)));
    observer.observe(found);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
