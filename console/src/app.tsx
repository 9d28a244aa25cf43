import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { KeyDialog } from './components/KeyDialog';
import { lazily } from './components/lazily';
import { Shell } from './components/Shell';
import { Tour } from './components/tour';
import { matchPath, route } from './router';

/** What a page gets: the parts of the address at the stars of its path. */
export interface PageProps {
  params: string[];
}

interface PageEntry {
  path: string;
  title: string;
  load: () => Promise<{ default: ComponentType<PageProps> }>;
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

const COMPONENTS = new Map(PAGES.map((entry) => [entry, lazily(() => entry.load().then((module) => module.default))]));

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
      <Shell>{found ? <LoadedPage {...found} key={keyOf(found)} /> : <NotFound />}</Shell>
      <Tour />
      <KeyDialog />
    </>
  );
}

/** A page begins anew where it is about something else. */
function keyOf({ entry, params }: Found): string {
  return JSON.stringify([entry.path, params]);
}

function LoadedPage({ entry, params }: Found) {
  const Page = COMPONENTS.get(entry)!;
  return <Page params={params} />;
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
