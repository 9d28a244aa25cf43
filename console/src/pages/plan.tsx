import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import { api, asProblem, type Problem } from '../api';
import { Empty, Loading, ProblemNote } from '../components/notes';
import { graphOf, ratesOf, type Look, type Network, type PlanNode } from '../plan/network';
import { PlanGraph } from '../plan/PlanGraph';
import '../plan/plan.css';
import '../timeline/timeline.css';
import { href, hrefWith, route } from '../router';

const EVERY = 3000;
const BUSY = 8;

interface Looks {
  before: Look | null;
  now: Look;
  leftOut: number;
}

/** The shared network of all subscriptions, looked at again and again. */
export default function PlanPage(_: PageProps) {
  const [looks, setLooks] = useState<Looks | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const asked = route.value.query.get('subscription');
  const [subscription, setSubscription] = useState<string | null>(asked);

  useEffect(() => {
    let timer = 0;
    const ended = new AbortController();
    const look = async (): Promise<void> => {
      try {
        const network = await api.get<Network>('/v1/plan', { signal: ended.signal });
        const now = { at: performance.now(), nodes: network.nodes };
        setLooks((last) => ({ before: last?.now ?? null, now, leftOut: network.left_out ?? 0 }));
        timer = window.setTimeout(() => void look(), EVERY);
      } catch (error) {
        if (!ended.signal.aborted) setProblem(asProblem(error));
      }
    };
    void look();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, []);

  const nodes = looks?.now.nodes ?? [];
  const rates = useMemo(
    () => (looks ? ratesOf(looks.before, looks.now) : new Map<string, number>()),
    [looks],
  );
  const graph = useMemo(() => graphOf(nodes, subscription), [nodes, subscription]);
  const names = useMemo(() => [...new Set(nodes.flatMap((node) => node.subscriptions))].sort(), [nodes]);
  const shared = nodes.filter((node) => node.subscriptions.length > 1).length;
  const hidden = graph.hidden + (looks?.leftOut ?? 0);

  return (
    <section class="page plan-page">
      <div class="page-head">
        <h1>Plan</h1>
        {looks && (
          <span class="muted small">
            {`${nodes.length} parts for ${names.length} subscriptions, ${shared} of them shared`}
          </span>
        )}
        <span class="spring" />
        <label class="inline-field">
          <span>Show</span>
          <select
            value={subscription ?? ''}
            onChange={(event) => setSubscription(event.currentTarget.value || null)}
          >
            <option value="">all subscriptions</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {problem && <ProblemNote problem={problem} />}
      {!looks && !problem && <Loading what="Looking at the network" />}
      {looks && nodes.length === 0 && (
        <Empty title="No subscriptions yet">
          <a href="#/new">Write a subscription</a>, and its parts are here.
        </Empty>
      )}
      {looks && nodes.length > 0 && (
        <>
          <div class="card">
            <PlanGraph
              graph={graph}
              rates={rates}
              chosen={chosen}
              choose={(id) => setChosen(id === chosen ? null : id)}
              tallest={Math.max(360, innerHeight - 340)}
            >
              <span>
                <i class="mark mark-heat" /> input rate
              </span>
              <span>
                <i class="mark mark-fill" /> partial matches held
              </span>
              <span>
                <i class="mark mark-match" /> what rings
              </span>
              {hidden > 0 && (
                <span>{`${hidden.toLocaleString('en')} quieter parts are not drawn: choose a subscription.`}</span>
              )}
            </PlanGraph>
          </div>
          <div class="plan-columns">
            <Chosen nodes={nodes} chosen={chosen} rates={rates} />
            <Busiest nodes={nodes} rates={rates} choose={setChosen} />
          </div>
        </>
      )}
    </section>
  );
}

interface ChosenProps {
  nodes: readonly PlanNode[];
  chosen: string | null;
  rates: ReadonlyMap<string, number>;
}

function Chosen({ nodes, chosen, rates }: ChosenProps) {
  const node = nodes.find((each) => each.id === chosen);
  const name = chosen?.startsWith('subscription:') ? chosen.slice('subscription:'.length) : null;
  if (name !== null)
    return (
      <section class="card" aria-label="Chosen part">
        <div class="card-head">
          <h2 class="ellipsis">{name}</h2>
        </div>
        <div class="card-body actions">
          <a href={href('subscriptions', name)}>Open the subscription</a>
          <a href={hrefWith('matches', { subscription: name })}>Its matches</a>
        </div>
      </section>
    );
  if (!node)
    return (
      <p class="card plan-hint muted">
        Select an operator to see its subscriptions, inputs and outputs.
      </p>
    );
  return (
    <section class="card" aria-label="Chosen part">
      <div class="card-head">
        <h2>{node.kind}</h2>
        <span class="badge">{node.id}</span>
      </div>
      <div class="card-body plan-facts">
        <p class="plan-text mono">{node.label}</p>
        {node.conditions?.map((each) => (
          <p key={each} class="plan-text mono small muted">
            {each}
          </p>
        ))}
        <dl class="fact-list">
          <dt>Waiting</dt>
          <dd>{node.waiting.toLocaleString('en')}</dd>
          <dt>Came in</dt>
          <dd>
            {node.served.toLocaleString('en')}
            {rates.has(node.id) && `, ${rates.get(node.id)!.toFixed(1)} a second`}
          </dd>
          <dt>Used by</dt>
          <dd>
            <ul class="plan-users">
              {node.subscriptions.slice(0, 50).map((each) => (
                <li key={each}>
                  <a href={href('subscriptions', each)}>{each}</a>
                </li>
              ))}
              {node.subscriptions.length > 50 && <li>and {node.subscriptions.length - 50} more</li>}
            </ul>
          </dd>
        </dl>
      </div>
    </section>
  );
}

interface BusiestProps {
  nodes: readonly PlanNode[];
  rates: ReadonlyMap<string, number>;
  choose: (id: string) => void;
}

/** The parts with most to do, as a table. */
function Busiest({ nodes, rates, choose }: BusiestProps) {
  const rate = (node: PlanNode): number => rates.get(node.id) ?? 0;
  const rows = nodes
    .toSorted((a, b) => rate(b) - rate(a) || b.waiting - a.waiting || b.served - a.served)
    .slice(0, BUSY);
  return (
    <section class="card" aria-label="Busiest parts">
      <div class="card-head">
        <h2>Busiest parts</h2>
      </div>
      <table class="plan-busy">
        <thead>
          <tr>
            <th>Part</th>
            <th class="number">Wait</th>
            <th class="number">In</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((node) => (
            <tr key={node.id}>
              <td class="ellipsis">
                <button class="link" onClick={() => choose(node.id)} title={node.label}>
                  {node.label}
                </button>
              </td>
              <td class="number">{node.waiting.toLocaleString('en')}</td>
              <td class="number">{node.served.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
