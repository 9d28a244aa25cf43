import type { Statistics } from '../api';
import { useApi } from '../components/hooks';
import { Sparkline } from '../components/Sparkline';
import { count, when, withTimes } from '../format';
import { hrefWith } from '../router';

interface Waiting {
  what: string;
  since: string | null;
  until: string | null;
}

type WaitingAnswer = Waiting[] | { waiting: Waiting[] };

const SHOWN = 8;

/** How a subscription that is there stands: how often it rang, and what it waits for until when. */
export function NowCard({ id }: { id: string }) {
  const { data: statistics } = useApi<Statistics>('/v1/statistics', 2_000);
  const { data, problem } = useApi<WaitingAnswer>(`/v1/subscriptions/${encodeURIComponent(id)}/waiting`, 3_000);
  const own = statistics?.subscriptions[id];
  const waiting = Array.isArray(data) ? data : (data?.waiting ?? []);
  return (
    <div class="card">
      <div class="card-head">
        <h2>Now</h2>
        <span class="spring" />
        <a class="small" href={hrefWith('matches', { subscription: id })}>
          {own ? `${count(own.matches)} matches` : 'Matches'}
        </a>
      </div>
      <div class="card-body now-body">
        {own && <LastHour minutes={own.minutes} />}
        {problem && problem.code !== 'NotHere' && <p class="muted">{problem.detail}</p>}
        {waiting.length > 0 ? (
          <>
            <h3>Still waits for</h3>
            <ul class="plain waiting-list">
              {waiting.slice(0, SHOWN).map((each, index) => (
                <li key={index}>
                  <span>{withTimes(each.what)}</span>
                  <span class="muted small">
                    {each.since && `since ${when(each.since)}, `}
                    {each.until ? `until ${when(each.until)}` : 'without end'}
                  </span>
                </li>
              ))}
            </ul>
            {waiting.length > SHOWN && <p class="muted small">and {count(waiting.length - SHOWN)} more</p>}
          </>
        ) : (
          data && <p class="muted">No partial matches.</p>
        )}
      </div>
    </div>
  );
}

function LastHour({ minutes }: { minutes: number[] }) {
  const rung = minutes.reduce((sum, minute) => sum + minute, 0);
  if (rung === 0) return <p class="muted">It has not rung in the last hour.</p>;
  return (
    <Sparkline values={minutes} label={`${count(rung)} matches in the last hour`} tone="ring" width={300} height={32} />
  );
}
