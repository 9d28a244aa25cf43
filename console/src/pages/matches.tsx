import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import { api, asProblem, type Match, type MatchPage, type Problem, type Subscription } from '../api';
import { useApi } from '../components/hooks';
import { MatchRow } from '../components/MatchRow';
import { Empty, Loading, ProblemNote } from '../components/notes';
import { WindowedList } from '../components/WindowedList';
import { count } from '../format';
import { goTo, hrefWith, route } from '../router';
import './matches.css';

const PAGE = 1_000;
const ROW = 36;
/** The next page is fetched when so few rows are left below. */
const AHEAD = 200;

const SPANS = [
  { value: '', label: 'Any time' },
  { value: '900', label: 'Last 15 minutes' },
  { value: '3600', label: 'Last hour' },
  { value: '86400', label: 'Last day' },
];

export default function MatchesPage(_: PageProps) {
  const subscription = route.value.query.get('subscription') ?? '';
  const [span, setSpan] = useState('');
  const { data } = useApi<{ subscriptions: Subscription[] }>('/v1/subscriptions');
  const names = (data?.subscriptions ?? []).map((each) => each.id);
  if (subscription && !names.includes(subscription)) names.unshift(subscription);
  return (
    <section class="page matches-page">
      <header class="page-head">
        <h1>Matches</h1>
      </header>
      <div class="actions">
        <label>
          <span class="sr-only">Subscription</span>
          <select value={subscription} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="">All subscriptions</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="sr-only">Detected</span>
          <select value={span} onChange={(event) => setSpan(event.currentTarget.value)}>
            {SPANS.map((each) => (
              <option key={each.value} value={each.value}>
                {each.label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <MatchList key={`${subscription} ${span}`} subscription={subscription} span={Number(span)} />
    </section>
  );
}

function choose(subscription: string): void {
  goTo(subscription ? hrefWith('matches', { subscription }) : '#/matches');
}

/** Matches, the newest first: older ones are fetched while one scrolls, new ones flow in at the top. */
function MatchList({ subscription, span }: { subscription: string; span: number }) {
  const [matches, setMatches] = useState<Match[]>([]);
  const [isDone, setDone] = useState(false);
  const [isLoaded, setLoaded] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [waiting, setWaiting] = useState<Match[]>([]);
  const previous = useRef<number | null>(null);
  const isFetching = useRef(false);
  const isAtTop = useRef(true);
  const since = useRef(span ? new Date(Date.now() - span * 1000).toISOString() : undefined);

  const fetchOlder = useCallback(async () => {
    if (isFetching.current) return;
    isFetching.current = true;
    try {
      const page = await api.get<MatchPage>('/v1/matches', {
        query: { newest: true, limit: PAGE, before: previous.current, subscription, since: since.current },
      });
      previous.current = page.previous;
      setMatches((before) => [...before, ...page.matches.reverse()]);
      if (page.matches.length < PAGE) setDone(true);
      setLoaded(true);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      isFetching.current = false;
    }
  }, [subscription]);

  useEffect(() => {
    let frame = 0;
    let arrived: Match[] = [];
    const show = () => {
      frame = 0;
      const found = arrived.reverse();
      arrived = [];
      if (isAtTop.current) setMatches((before) => [...found, ...before]);
      else setWaiting((before) => [...found, ...before]);
    };
    const query = subscription ? `?${new URLSearchParams({ subscription })}` : '';
    let isFirst = true;
    const flow = api.stream<Match>(
      `/v1/matches/stream${query}`,
      (match) => {
        arrived.push(match);
        frame ||= window.setTimeout(show, 150);
      },
      {
        onOpen: () => {
          if (isFirst) void fetchOlder();
          isFirst = false;
        },
        onProblem: (found, isFinal) => isFinal && setProblem(found),
      },
    );
    return () => {
      clearTimeout(frame);
      flow.close();
    };
  }, [fetchOlder, subscription]);

  const onRange = (first: number, last: number) => {
    isAtTop.current = first === 0;
    if (isLoaded && !isDone && last > matches.length - AHEAD) void fetchOlder();
  };
  const showWaiting = () => {
    setMatches((before) => [...waiting, ...before]);
    setWaiting([]);
    document.querySelector('.windowed')?.scrollTo({ top: 0 });
  };
  if (problem) return <ProblemNote problem={problem} />;
  return (
    <>
      <p class="muted small matches-told" role="status">
        {isLoaded && `${count(matches.length)}${isDone ? '' : ' or more'}, the newest first`}
        {waiting.length > 0 && (
          <button class="link" onClick={showWaiting}>
            show {count(waiting.length)} new
          </button>
        )}
      </p>
      <div class="card match-card" data-tour="matches">
        {!isLoaded && <Loading />}
        {isLoaded && matches.length === 0 && (
          <Empty title="Nothing has rung here yet">
            New matches appear by themselves. Try a <a href="#/new">subscription</a> on past events to see what would
            have rung.
          </Empty>
        )}
        {matches.length > 0 && (
          <WindowedList
            label="Matches"
            count={matches.length}
            rowHeight={ROW}
            onRange={onRange}
            row={(index) => <MatchRow match={matches[index]!} />}
          />
        )}
      </div>
    </>
  );
}
