/** What stands beside the map: kinds of points, the chosen one, regions, and what rang. */

import type { Match, StoredEvent } from '../api';
import { when } from '../format';
import { href, hrefWith } from '../router';
import '../timeline/timeline.css';
import { middleOf, shownPosition, type Projection } from './geometry';
import type { KindCount } from './live-points';
import { KIND_COLOURS } from './points-layer';
import type { Region } from './regions';

const SHOWN_KINDS = 6;

/** The types of events and their colours. */
export function KindLegend({ kinds, points }: { kinds: readonly KindCount[]; points: number }) {
  return (
    <ul class="map-kinds" aria-label="Kinds of events on the map">
      <li>
        <strong data-testid="points">{points.toLocaleString('en')}</strong> on the map
      </li>
      {kinds.slice(0, SHOWN_KINDS).map(({ type, count }, index) => (
        <li key={type}>
          <i class="mark" style={{ background: `var(${KIND_COLOURS[index % KIND_COLOURS.length]})` }} />
          {type} <span class="muted">{count.toLocaleString('en')}</span>
        </li>
      ))}
      {kinds.length > SHOWN_KINDS && <li class="muted">and {kinds.length - SHOWN_KINDS} more types</li>}
    </ul>
  );
}

interface PointCardProps {
  name: string;
  stored: StoredEvent;
  projection: Projection;
  close: () => void;
}

/** The point that was picked, with its newest event. */
export function PointCard({ name, stored, projection, close }: PointCardProps) {
  const { event, place, start } = stored;
  return (
    <section class="card" aria-label="Chosen point">
      <div class="card-head">
        <h2 class="ellipsis">{name}</h2>
        <span class="spring" />
        <button class="link" onClick={close}>
          Close
        </button>
      </div>
      <div class="card-body map-form">
        <dl class="fact-list">
          <dt>Event</dt>
          <dd>
            {event.type} <span class="muted">{event.id}</span>
          </dd>
          <dt>Time</dt>
          <dd>{when(start)}</dd>
          <dt>Place</dt>
          <dd>{place ? shownPosition(middleOf(place), projection) : 'nowhere'}</dd>
        </dl>
        <pre class="small map-data">{JSON.stringify(event.data ?? null, null, 2)}</pre>
        <a href={`#/matches/why-not?position=${stored.position}`}>Which rules matched this event, and why?</a>
      </div>
    </section>
  );
}

interface RegionListProps {
  regions: readonly Region[];
  show: (region: Region) => void;
  edit: (region: Region) => void;
}

export function RegionList({ regions, show, edit }: RegionListProps) {
  return (
    <section class="card" aria-label="Regions">
      <div class="card-head">
        <h2>Regions</h2>
        <span class="badge">{regions.length}</span>
      </div>
      {regions.length === 0 && (
        <p class="card-body muted small">None yet: draw one, and name it in a rule.</p>
      )}
      <ul class="map-list">
        {regions.map((region) => (
          <li key={region.name}>
            <button class="link ellipsis" onClick={() => show(region)} title="Show on the map">
              {region.name}
            </button>
            <span class="spring" />
            <button class="link small" onClick={() => edit(region)} aria-label={`Edit ${region.name}`}>
              Edit
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What rang, newest first. */
export function MatchList({ matches, show }: { matches: readonly Match[]; show: (match: Match) => void }) {
  return (
    <section class="card" aria-label="Newest matches">
      <div class="card-head">
        <h2>Rang</h2>
        <span class="spring" />
        <a class="small" href="#/matches">
          All matches
        </a>
      </div>
      {matches.length === 0 && <p class="card-body muted small">Nothing yet.</p>}
      <ul class="map-list" aria-live="polite">
        {matches.map((match) => (
          <li key={match.id} class="arrives">
            <i class="mark mark-match" />
            <a class="ellipsis" href={href('matches', match.id)}>
              {match.subscription}
            </a>
            <span class="spring" />
            <span class="muted small">{when(match.detected ?? match.end)}</span>
            {match.place && (
              <button
                class="link small"
                onClick={() => show(match)}
                aria-label={`Show ${match.subscription} on the map`}
              >
                Show
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** After a region was saved: what a visitor does with it next. */
export function SavedNote({ name }: { name: string }) {
  return (
    <div class="note note-ok" role="status">
      <strong>{name}</strong>
      <span>is saved. Subscriptions can name it.</span>
      <a href={hrefWith('new', { region: name })}>Write a rule about it</a>
    </div>
  );
}
