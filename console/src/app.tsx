import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { KeyDialog } from './components/KeyDialog';
import { Loading, ProblemNote } from './components/notes';
import { Shell } from './components/Shell';
import { asProblem, type Problem } from './api';
import { matchPath, route } from './router';

/** What a page gets: the parts of the address at the stars of its path. */
export interface PageProps {
  params: string[];
}

type Page = ComponentType<PageProps>;

interface PageEntry {
  path: string;
  title: string;
  load: () => Promise<{ default: Page }>;
}

export const PAGES: PageEntry[] = [
  { path: '/live', title: 'Live', load: () => import('./pages/live') },
  { path: '/subscriptions', title: 'Subscriptions', load: () => import('./pages/subscriptions') },
  { path: '/subscriptions/*', title: 'Subscription', load: () => import('./pages/editor') },
  { path: '/new', title: 'New subscription', load: () => import('./pages/editor') },
  { path: '/matches', title: 'Matches', load: () => import('./pages/matches') },
  { path: '/matches/*', title: 'Match', load: () => import('./pages/match') },
  { path: '/map', title: 'Map', load: () => import('./pages/map') },
  { path: '/timeline', title: 'Timeline', load: () => import('./pages/timeline') },
  { path: '/plan', title: 'Plan', load: () => import('./pages/plan') },
  { path: '/knowledge', title: 'Knowledge', load: () => import('./pages/knowledge') },
  { path: '/dead-letters', title: 'Dead letters', load: () => import('./pages/dead-letters') },
];

interface Found {
  entry: PageEntry;
  params: string[];
}

function findPage(parts: string[]): Found | null {
  for (const entry of PAGES) {
    const params = matchPath(entry.path, parts);
    if (params) return { entry, params };
  }
  return null;
}

export function App() {
  const found = findPage(route.value.parts);
  const title = found?.entry.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Tocsin`;
  }, [title]);
  return (
    <>
      <Shell>{found ? <LoadedPage {...found} key={found.entry.path + found.params} /> : <NotFound />}</Shell>
      <KeyDialog />
    </>
  );
}

function LoadedPage({ entry, params }: Found) {
  const [page, setPage] = useState<{ Page: Page } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    let isWanted = true;
    entry.load().then(
      (module) => isWanted && setPage({ Page: module.default }),
      (error: unknown) => isWanted && setProblem(asProblem(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [entry]);
  if (problem) return <ProblemNote problem={problem} />;
  return page ? <page.Page params={params} /> : <Loading />;
}

function NotFound() {
  return (
    <section class="page">
      <h1>There is no such page</h1>
      <p>
        <a href="#/live">Go to what is live</a>
      </p>
    </section>
  );
}
