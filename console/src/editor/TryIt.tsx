import { useMemo, useState } from 'preact/hooks';
import { api, type Match, type Tried } from '../api';
import { useAction } from '../components/hooks';
import { lazily } from '../components/lazily';
import { ProblemNote } from '../components/notes';
import { count, when } from '../format';
import { projectionFor } from '../map/geometry';
import { route } from '../router';
import { session } from '../session';
import { bodyOf, type Draft } from './draft';
import { mapFeatures, timelineItems } from './shown-matches';

const EventTimeline = lazily(() => import('../timeline/EventTimeline').then((module) => module.EventTimeline));
const MapView = lazily(() => import('../map/MapView').then((module) => module.MapView));

const SPANS = ['15m', '1h', '6h', '24h', '7d'];
const SHOWN = 500;
type View = 'list' | 'timeline' | 'map';

/** Runs the draft over stored events, and shows what would have rung. */
export function TryIt({ draft, isReady }: { draft: Draft; isReady: boolean }) {
  const [last, setLast] = useState(route.value.query.get('last') ?? '24h');
  const [tried, setTried] = useState<Tried | null>(null);
  const [view, setView] = useState<View>('timeline');
  const { problem, run, isBusy } = useAction();
  const attempt = () =>
    run(async () => {
      setTried(await api.post<Tried>('/v1/try', { ...bodyOf(draft), last, limit: SHOWN }));
    });
  return (
    <div class="card" data-tour="try">
      <div class="card-head">
        <h2>Try it</h2>
        <span class="muted small">on stored events, before it is saved</span>
        <span class="spring" />
        <label class="inline-field">
          <span>Last</span>
          <select value={last} onChange={(event) => setLast(event.currentTarget.value)}>
            {SPANS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button onClick={attempt} disabled={!isReady || isBusy}>
          {isBusy ? 'Trying …' : 'Try it'}
        </button>
      </div>
      <div class="card-body try-body">
        {problem && <ProblemNote problem={problem} />}
        {!tried && !problem && <p class="muted">It shows what would have rung, on a timeline and on the map.</p>}
        {tried && <Told tried={tried} />}
        {tried && tried.matches.length > 0 && (
          <>
            <div class="segments try-views" role="group" aria-label="Show as">
              {(['timeline', 'map', 'list'] as View[]).map((each) => (
                <button key={each} class="segment" aria-pressed={view === each} onClick={() => setView(each)}>
                  {each}
                </button>
              ))}
            </div>
            <Shown matches={tried.matches} view={view} />
          </>
        )}
      </div>
    </div>
  );
}

function Told({ tried }: { tried: Tried }) {
  return (
    <p role="status">
      <strong>{tried.count === 1 ? '1 match' : `${count(tried.count)} matches`}</strong> in {count(tried.events)} events
      of the last {tried.last}
      {!tried.is_whole && ', the newest of them'}
      {tried.count > tried.matches.length && `; the first ${count(tried.matches.length)} are shown`}
    </p>
  );
}

function Shown({ matches, view }: { matches: Match[]; view: View }) {
  const items = useMemo(() => timelineItems(matches), [matches]);
  const features = useMemo(() => mapFeatures(matches), [matches]);
  if (view === 'timeline')
    return items.length ? (
      <EventTimeline items={items} tallest={260} label="What would have rung" />
    ) : (
      <p class="muted">They have no time.</p>
    );
  if (view === 'map')
    return features.length ? (
      <MapView
        features={features}
        projection={projectionFor(features.map((each) => each.geometry))}
        tiles={session.value?.tiles ?? ''}
        height="300px"
        label="Where it would have rung"
      />
    ) : (
      <p class="muted">None of them has a place.</p>
    );
  return (
    <ul class="plain try-list">
      {matches.map((match) => (
        <li key={match.id}>
          <span class="muted">{when(match.detected)}</span> <code>{match.events.join(', ')}</code>
        </li>
      ))}
    </ul>
  );
}
