/** Why a match rang: when, where, by which part of the plan, with what bound, from which origins. */

import { useMemo, useState } from 'preact/hooks';
import { lazily } from '../components/lazily';
import { href, hrefWith } from '../router';
import { session } from '../session';
import { EventTimeline } from '../timeline/EventTimeline';
import { instantOf, shownDuration, shownInstant } from '../timeline/instants';
import { PlanTree } from './PlanTree';
import { featuresOf, itemsOf, memberId, memberLabel, spansOf } from './shown';
import type { Member, Why } from './types';
import './why.css';

const MapView = lazily(() => import('../map/MapView').then((module) => module.MapView));

export function WhyView({ why }: { why: Why }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const items = useMemo(() => itemsOf(why), [why]);
  const spans = useMemo(() => spansOf(why), [why]);
  const { features, projection } = useMemo(() => featuresOf(why), [why]);
  const { match } = why;
  return (
    <section class="page">
      <p class="small">
        <a
          href={hrefWith('matches', { subscription: match.subscription })}
        >{`Matches of ${match.subscription}`}</a>
      </p>
      <div class="page-head">
        <h1>
          <span class="ring">{match.subscription}</span> rang
        </h1>
        <span class="muted">{whenOf(why)}</span>
        <span class="spring" />
        <a
          class="button"
          href={`${href('matches', 'why-not')}?${new URLSearchParams({ subscription: match.subscription })}`}
        >
          Why not for another event?
        </a>
        <a class="button" href={href('subscriptions', match.subscription)}>
          Open the subscription
        </a>
      </div>
      {why.subscription && <pre class="card card-body">{expressionOf(why.subscription.expression)}</pre>}
      <div class="why-columns">
        <div class="why-stack">
          <section class="card" aria-label="When">
            <div class="card-head">
              <h2>When</h2>
              <span class="spring" />
              <Legend hasAbsence={spans.some((span) => span.absent)} />
            </div>
            <div class="card-body">
              {items.length + spans.length > 0 ? (
                <EventTimeline
                  items={items}
                  spans={spans}
                  tallest={340}
                  label="Members of the match"
                  onPick={(item) => setChosen(item.id)}
                />
              ) : (
                <p class="muted">Its events have no time.</p>
              )}
              <WindowList why={why} />
            </div>
          </section>
          <Members members={why.members} chosen={chosen} />
          <Lineage lineage={why.lineage} />
        </div>
        <div class="why-stack">
          <section class="card" aria-label="Where">
            <div class="card-head">
              <h2>Where</h2>
            </div>
            <div class="card-body">
              {features.length > 0 ? (
                <MapView
                  features={features}
                  projection={projection}
                  tiles={session.value?.tiles ?? ''}
                  onPick={(id: string) => setChosen(id)}
                  height="300px"
                  label="Members and regions of the match"
                />
              ) : (
                <p class="muted">Its events have no place.</p>
              )}
            </div>
          </section>
          {why.plan && (
            <section class="card" aria-label="Matched parts">
              <div class="card-head">
                <h2>Matched parts</h2>
                <span class="muted small">green: matched; dashed: must not happen</span>
              </div>
              <div class="card-body">
                <PlanTree plan={why.plan} />
              </div>
            </section>
          )}
          <Bindings bindings={why.bindings} />
        </div>
      </div>
    </section>
  );
}

function whenOf({ match }: Why): string {
  const [start, end, detected] = [match.start, match.end, match.detected].map((each) => instantOf(each));
  if (detected == null) return 'at no known time';
  const took = start != null && end != null && end > start ? `, over ${shownDuration(end - start)}` : '';
  return `at ${shownInstant(detected)}${took}`;
}

function expressionOf(expression: string | object): string {
  return typeof expression === 'string' ? expression : JSON.stringify(expression, null, 2);
}

function Legend({ hasAbsence }: { hasAbsence: boolean }) {
  return (
    <div class="timeline-legend">
      <span>
        <i class="mark" />
        member
      </span>
      <span>
        <i class="mark mark-window" />
        window
      </span>
      {hasAbsence && (
        <span>
          <i class="mark mark-absent" />
          did not happen
        </span>
      )}
    </div>
  );
}

/** The windows as text, for those who cannot see bars. */
function WindowList({ why }: { why: Why }) {
  const bounded = why.windows.filter((window) => window.from && window.to);
  if (bounded.length === 0) return null;
  return (
    <ul class="why-windows">
      {bounded.map((window, index) => {
        const [from, to] = [instantOf(window.from)!, instantOf(window.to)!];
        return (
          <li key={index}>
            <i class={window.absent ? 'mark mark-absent' : 'mark mark-window'} />
            <span>{window.label}</span>{' '}
            <span class="muted">{`${shownInstant(from)} to ${shownInstant(to, from)}, ${shownDuration(to - from)}`}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Members({ members, chosen }: { members: readonly Member[]; chosen: string | null }) {
  return (
    <section class="card" aria-label="Events">
      <div class="card-head">
        <h2>Events</h2>
        <span class="badge">{members.length}</span>
      </div>
      <ol class="why-members">
        {members.map((member, index) => (
          <li key={index} class={chosen === String(index) ? 'why-chosen' : ''}>
            <details open={members.length <= 2 || chosen === String(index)}>
              <summary>
                <strong>{memberLabel(member)}</strong>
                <span class="muted small"> {shownTime(member.start)}</span>
              </summary>
              {member.expired ? (
                <p class="muted small">{`${memberId(member)} is no longer stored.`}</p>
              ) : (
                <pre class="small">{JSON.stringify(member.event, null, 2)}</pre>
              )}
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

function shownTime(text: string | null): string {
  const instant = instantOf(text);
  return instant === null ? '' : shownInstant(instant);
}

function Bindings({ bindings }: { bindings: Record<string, string> }) {
  const entries = Object.entries(bindings);
  if (entries.length === 0) return null;
  return (
    <section class="card" aria-label="Bindings">
      <div class="card-head">
        <h2>Bindings</h2>
      </div>
      <dl class="card-body fact-list">
        {entries.map(([name, value]) => (
          <>
            <dt class="mono">{name}</dt>
            <dd class="mono">{value}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** From each constructed event back to where it came from. */
function Lineage({ lineage }: { lineage: readonly (readonly string[])[] }) {
  const chains = lineage.filter((chain) => chain.length > 1);
  if (chains.length === 0) return null;
  return (
    <section class="card" aria-label="Lineage">
      <div class="card-head">
        <h2>Lineage</h2>
        <span class="muted small">constructed events back to their origins</span>
      </div>
      <ul class="card-body why-lineage">
        {chains.map((chain, index) => (
          <li key={index}>
            {chain.map((id, place) => (
              <span key={place} class="mono">
                {place > 0 && <span class="muted"> ← </span>}
                {id}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
