import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import type { Statistics, Subscription, SubscriptionStatistics } from '../api';
import { useApi } from '../components/hooks';
import { Icon } from '../components/icons';
import { Empty, Loading, ProblemNote } from '../components/notes';
import { Sparkline } from '../components/Sparkline';
import { StateBadge } from '../components/StateBadge';
import { count, oneLine, short } from '../format';
import { href, route } from '../router';
import './subscriptions.css';

const PAGE = 100;

type Order = 'name' | 'matches' | 'waiting';

interface Row {
  subscription: Subscription;
  statistics: SubscriptionStatistics;
}

const NOTHING: SubscriptionStatistics = { matches: 0, minutes: [], waiting: 0, trouble: null };

const BY: Record<Order, (one: Row, other: Row) => number> = {
  name: (one, other) => one.subscription.id.localeCompare(other.subscription.id),
  matches: (one, other) => other.statistics.matches - one.statistics.matches,
  waiting: (one, other) => other.statistics.waiting - one.statistics.waiting,
};

export default function SubscriptionsPage(_: PageProps) {
  const { data, problem } = useApi<{ subscriptions: Subscription[] }>('/v1/subscriptions', 5_000);
  const { data: statistics } = useApi<Statistics>('/v1/statistics', 2_000);
  const [text, setText] = useState(route.value.query.get('text') ?? '');
  const [state, setState] = useState(route.value.query.get('state') ?? '');
  const [order, setOrder] = useState<Order>('name');
  const [shown, setShown] = useState(PAGE);
  useEffect(() => setShown(PAGE), [text, state, order]);
  const rows = (data?.subscriptions ?? [])
    .filter((each) => isAsked(each, text, state))
    .map((subscription) => ({ subscription, statistics: statistics?.subscriptions[subscription.id] ?? NOTHING }))
    .sort(BY[order]);
  return (
    <section class="page">
      <header class="page-head">
        <h1>Subscriptions</h1>
        {data && <span class="badge">{count(data.subscriptions.length)}</span>}
        <span class="spring" />
        <a class="button primary" href="#/new">
          <Icon name="plus" size={16} /> New subscription
        </a>
      </header>
      <div class="actions">
        <label class="search">
          <span class="sr-only">Search subscriptions</span>
          <Icon name="search" size={16} />
          <input
            type="search"
            placeholder="Name, language or text"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <label>
          <span class="sr-only">State</span>
          <select value={state} onChange={(event) => setState(event.currentTarget.value)}>
            <option value="">All states</option>
            <option value="live">Live</option>
            <option value="paused">Paused</option>
            <option value="suspended">Suspended</option>
          </select>
        </label>
        <label>
          <span class="sr-only">Order</span>
          <select value={order} onChange={(event) => setOrder(event.currentTarget.value as Order)}>
            <option value="name">By name</option>
            <option value="matches">Most matches first</option>
            <option value="waiting">Most waiting first</option>
          </select>
        </label>
      </div>
      {problem && <ProblemNote problem={problem} />}
      {!data && !problem && <Loading />}
      {data && rows.length === 0 && (
        <div class="card">
          {data.subscriptions.length ? (
            <Empty title="No subscription matches this filter">Try another word, or all states.</Empty>
          ) : (
            <Empty title="There is no subscription yet">
              A subscription says what should ring. <a href="#/new">Write the first one</a>: it is checked while you
              type and can be tried on past events.
            </Empty>
          )}
        </div>
      )}
      {rows.length > 0 && <Table rows={rows.slice(0, shown)} />}
      {rows.length > shown && (
        <p>
          <button onClick={() => setShown(shown + 5 * PAGE)}>
            Show more of {count(rows.length)} ({count(rows.length - shown)} left)
          </button>
        </p>
      )}
    </section>
  );
}

function isAsked(subscription: Subscription, text: string, state: string): boolean {
  if (state && (subscription.state ?? 'live') !== state) return false;
  const words = `${subscription.id} ${subscription.language} ${oneLine(subscription.expression)}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

function Table({ rows }: { rows: Row[] }) {
  return (
    <div class="card scroll-x">
      <table class="subscriptions">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Language</th>
            <th scope="col" class="wide-only">
              Expression
            </th>
            <th scope="col" class="wide-only">
              Last hour
            </th>
            <th scope="col" class="number">
              Matches
            </th>
            <th scope="col" class="number wide-only">
              Waiting
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ subscription, statistics }) => (
            <tr key={subscription.id}>
              <td>
                <a class="subscription-name" href={href('subscriptions', subscription.id)}>
                  {subscription.id}
                </a>
              </td>
              <td>
                <span class="badge">{subscription.language}</span>
              </td>
              <td class="wide-only subscription-text">
                <code class="ellipsis" title={oneLine(subscription.expression)}>
                  {oneLine(subscription.expression)}
                </code>
              </td>
              <td class="wide-only subscription-spark">
                <Sparkline
                  values={statistics.minutes}
                  label={`${sum(statistics.minutes)} in the last hour`}
                  tone="ring"
                />
              </td>
              <td class="number">{short(statistics.matches)}</td>
              <td class="number wide-only">{short(statistics.waiting)}</td>
              <td>
                <StateBadge subscription={subscription} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
