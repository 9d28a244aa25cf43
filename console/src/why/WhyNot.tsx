/** Why an event does not ring: the conditions one after the other, the first that fails, and what waits. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { api, asProblem, type EventPage, type Problem, type StoredEvent, type Subscription } from '../api';
import { Loading, ProblemNote } from '../components/notes';
import { goTo, href } from '../router';
import { EventTimeline } from '../timeline/EventTimeline';
import { instantOf, shownDuration, shownInstant } from '../timeline/instants';
import { waitingSpans } from './shown';
import type { Step, Waiting, WhyNot as Told } from './types';
import './why.css';

const OFFERED = 200;

interface WhyNotProps {
  subscription: string | null;
  position: number | null;
}

export function WhyNot({ subscription, position }: WhyNotProps) {
  const [subscriptions, setSubscriptions] = useState<Subscription[] | null>(null);
  const [events, setEvents] = useState<StoredEvent[] | null>(null);
  const [told, setTold] = useState<Told | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);

  useEffect(() => {
    const failed = (error: unknown): void => setProblem(asProblem(error));
    api
      .get<{ subscriptions: Subscription[] }>('/v1/subscriptions')
      .then((found) => setSubscriptions(found.subscriptions), failed);
  }, []);

  useEffect(() => {
    const isOffered = events?.some((each) => each.position === position) || (events && position === null);
    if (!isOffered) offeredEvents(position).then(setEvents, (error: unknown) => setProblem(asProblem(error)));
  }, [position]);

  useEffect(() => {
    if (subscription === null || position === null) return;
    const ended = new AbortController();
    setTold(null);
    setProblem(null);
    api
      .post<Told>('/v1/why-not', { subscription, event: { position } }, { signal: ended.signal })
      .then(setTold)
      .catch((error: unknown) => ended.signal.aborted || setProblem(asProblem(error)));
    return () => ended.abort();
  }, [subscription, position]);

  function choose(name: string | null, place: number | null): void {
    const query: Record<string, string> = {};
    if (name !== null) query.subscription = name;
    if (place !== null) query.position = String(place);
    goTo(`${href('matches', 'why-not')}?${new URLSearchParams(query)}`);
  }

  return (
    <section class="page">
      <div class="page-head">
        <h1>Why not?</h1>
        <span class="muted">Choose a subscription and an event: see what failed first, and by how much.</span>
      </div>
      <div class="card">
        <div class="card-body why-ask">
          <label class="field">
            <span>Subscription</span>
            <select
              value={subscription ?? ''}
              onChange={(event) => choose(event.currentTarget.value || null, position)}
            >
              <option value="">choose …</option>
              {subscriptions?.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.id}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>Event</span>
            <select
              value={position ?? ''}
              onChange={(event) =>
                choose(subscription, event.currentTarget.value ? Number(event.currentTarget.value) : null)
              }
            >
              <option value="">choose …</option>
              {events?.map((each) => (
                <option key={each.position} value={each.position}>
                  {eventLabel(each)}
                </option>
              ))}
            </select>
          </label>
          <label class="field why-position">
            <span>Position in the log</span>
            <input
              type="number"
              min={1}
              value={position ?? ''}
              onChange={(event) =>
                choose(subscription, event.currentTarget.value ? Number(event.currentTarget.value) : null)
              }
            />
          </label>
        </div>
      </div>
      {problem && <ProblemNote problem={problem} />}
      {subscription !== null && position !== null && !told && !problem && <Loading what="Asking" />}
      {told && <Answer told={told} />}
    </section>
  );
}

/** The newest events, and the one that is asked for where it is older. */
async function offeredEvents(position: number | null): Promise<StoredEvent[]> {
  const newest = await api.get<EventPage>('/v1/events', { query: { newest: true, limit: OFFERED } });
  const events = newest.events.toReversed();
  if (position === null || events.some((each) => each.position === position)) return events;
  const asked = await api.get<EventPage>('/v1/events', { query: { after: position - 1, limit: 1 } });
  return [...asked.events.filter((each) => each.position === position), ...events];
}

function eventLabel({ event, start, position }: StoredEvent): string {
  const instant = instantOf(start);
  return `${event.type} ${event.id} from ${event.source}${instant === null ? '' : ` at ${shownInstant(instant)}`} (${position})`;
}

function Answer({ told }: { told: Told }) {
  const failed = told.first_failure;
  const isOpen = !told.rings && told.waiting.length > 0;
  return (
    <>
      <div class={told.rings ? 'note note-ok' : isOpen ? 'note' : 'note note-bad'} role="status">
        <strong>{told.rings ? 'It rings' : isOpen ? 'It does not ring yet' : 'It does not ring'}</strong>
        {isOpen && <span>Partial match: see what it is waiting for below.</span>}
        {failed !== null && !isOpen && (
          <span>
            First failed condition: <span class="mono">{told.steps[failed]!.text}</span>
            {byHowMuch(told.steps[failed]!)}
          </span>
        )}
      </div>
      <section class="card" aria-label="Conditions">
        <div class="card-head">
          <h2>Conditions</h2>
        </div>
        <div class="scroll-x">
          <table>
            <thead>
              <tr>
                <th>Holds</th>
                <th>Condition</th>
                <th>The event has</th>
                <th>Wanted</th>
                <th>Off by</th>
              </tr>
            </thead>
            <tbody>
              {told.steps.map((step, index) => (
                <tr key={index} class={index === failed ? 'why-failed' : ''}>
                  <td>
                    <Holds holds={step.holds} />
                  </td>
                  <td class="mono" style={{ paddingLeft: `${12 + 16 * step.depth}px` }}>
                    {step.text}
                  </td>
                  <td class="mono">{shownValue(step.actual)}</td>
                  <td class="mono">{shownValue(step.expected)}</td>
                  <td class="mono">{shownValue(step.distance)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <Waits waiting={told.waiting} />
    </>
  );
}

function Holds({ holds }: { holds: boolean | null }) {
  if (holds === null) return <span class="badge">unknown</span>;
  return holds ? <span class="badge badge-ok">yes</span> : <span class="badge badge-bad">no</span>;
}

/** What waits on account of the event, as bars and as a list. */
function Waits({ waiting }: { waiting: readonly Waiting[] }) {
  const now = Date.now();
  const spans = useMemo(() => waitingSpans(waiting, now), [waiting]);
  return (
    <section class="card" aria-label="What waits">
      <div class="card-head">
        <h2>What waits</h2>
        <span class="badge">{waiting.length}</span>
      </div>
      <div class="card-body">
        {waiting.length === 0 && <p class="muted">No partial match contains this event.</p>}
        {spans.length > 0 && (
          <EventTimeline items={[]} spans={spans} tallest={240} label="What waits, and until when" />
        )}
        <ul class="why-windows">
          {waiting.slice(0, 100).map((each, index) => (
            <li key={index}>
              <span>{each.what}</span> <span class="muted">{waitingTime(each, now)}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function waitingTime({ since, until }: Waiting, now: number): string {
  const [from, to] = [instantOf(since), instantOf(until)];
  const begun = from === null ? '' : `since ${shownInstant(from, now)}`;
  if (to === null) return begun;
  const left = to > now ? `, ${shownDuration(to - now)} left` : '';
  return `${begun} until ${shownInstant(to, from ?? now)}${left}`;
}

function byHowMuch(step: Step): string {
  if (step.distance !== undefined && step.distance !== null) return `, off by ${shownValue(step.distance)}`;
  return step.holds === null ? ': the value is missing or has another type' : '';
}

function shownValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(Number(value.toPrecision(8)));
  return typeof value === 'string' ? value : JSON.stringify(value);
}
