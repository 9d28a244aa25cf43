import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import { api, type DeadLetter, type Match, type MatchPage, type Statistics } from '../api';
import { Chart } from '../components/Chart';
import { useApi } from '../components/hooks';
import { MatchRow } from '../components/MatchRow';
import { Empty, Loading, ProblemNote } from '../components/notes';
import { Sparkline } from '../components/Sparkline';
import { TourInvitation } from '../components/tour';
import { ago, count, rate, seconds, short, when } from '../format';
import { href } from '../router';
import './live.css';

const EVERY = 1_000;
const SHOWN = 15;

export default function LivePage(_: PageProps) {
  const { data, problem } = useApi<Statistics>('/v1/statistics', EVERY);
  return (
    <section class="page">
      <header class="page-head">
        <h1>Live</h1>
        {data && <Health statistics={data} />}
      </header>
      <TourInvitation />
      {problem && <ProblemNote problem={problem} />}
      {data ? <Tiles statistics={data} /> : !problem && <Loading />}
      <div class="grid live-columns">
        <div class="grid">
          {data && <HourCard statistics={data} />}
          <NewestMatches />
        </div>
        <div class="grid">
          {data && <Busiest statistics={data} />}
          <NewestLetters />
          {data?.spark && <SparkCard spark={data.spark} />}
        </div>
      </div>
    </section>
  );
}

const FALLING_BEHIND = 30;

function Health({ statistics }: { statistics: Statistics }) {
  const isBehind = statistics.now.lag_seconds > FALLING_BEHIND;
  const troubled = Object.values(statistics.subscriptions).filter((each) => each.trouble).length;
  return (
    <>
      <span class={isBehind ? 'badge badge-bad' : 'badge badge-ok'}>{isBehind ? 'falling behind' : 'keeping up'}</span>
      {troubled > 0 && (
        <a class="badge badge-bad" href="#/subscriptions?state=suspended">
          {troubled} suspended
        </a>
      )}
    </>
  );
}

interface TileProps {
  label: string;
  value: string;
  unit?: string;
  to: string;
  values?: number[];
  tone?: 'accent' | 'ring' | 'bad' | 'muted';
  note?: string;
}

function Tile({ label, value, unit, to, values, tone, note }: TileProps) {
  return (
    <a class="card tile" href={to}>
      <span class="tile-label">{label}</span>
      <span class="tile-value">
        {value}
        {unit && <small> {unit}</small>}
      </span>
      {values && values.length > 0 ? (
        <Sparkline values={values} label={`${label}, last hour`} tone={tone} height={28} width={160} />
      ) : (
        <span class="tile-note muted">{note}</span>
      )}
    </a>
  );
}

function Tiles({ statistics: { now, minutes } }: { statistics: Statistics }) {
  return (
    <div class="grid tiles" data-tour="tiles">
      <Tile
        label="Events"
        value={rate(now.events_per_second)}
        unit="a second"
        to="#/timeline"
        values={minutes.map((each) => each.events)}
      />
      <Tile
        label="Matches"
        value={short(now.matches)}
        to="#/matches"
        tone="ring"
        values={minutes.map((each) => each.matches)}
      />
      <Tile
        label="Lag"
        value={seconds(now.lag_seconds)}
        to="#/timeline"
        tone="muted"
        values={minutes.map((each) => each.lag_seconds)}
      />
      <Tile
        label="Waiting"
        value={short(now.waiting)}
        unit="occurrences"
        to="#/plan"
        tone="muted"
        values={minutes.map((each) => each.waiting)}
      />
      <Tile
        label="Dead letters"
        value={short(now.dead_letters)}
        to="#/dead-letters"
        tone="bad"
        values={minutes.map((each) => each.dead_letters)}
      />
      <Tile label="Watermark" value={when(now.watermark)} to="#/timeline" note={`${count(now.late)} came late`} />
    </div>
  );
}

function HourCard({ statistics: { minutes, now } }: { statistics: Statistics }) {
  return (
    <div class="card">
      <div class="card-head">
        <h2>The last hour</h2>
        <span class="muted small">{count(now.events)} events in all</span>
      </div>
      <div class="card-body">
        {minutes.length ? (
          <Chart
            label="Events and matches by minute"
            height={170}
            seconds={minutes.map((each) => Date.parse(each.minute) / 1000)}
            series={[
              { label: 'events', values: minutes.map((each) => each.events), color: '--accent' },
              { label: 'matches', values: minutes.map((each) => each.matches), color: '--ring' },
            ]}
          />
        ) : (
          <p class="muted">The first minute is being counted.</p>
        )}
      </div>
    </div>
  );
}

function NewestMatches() {
  const [matches, setMatches] = useState<Match[]>([]);
  const [fresh, setFresh] = useState<Set<string>>(new Set());
  useEffect(() => {
    let isHere = true;
    const add = (found: Match[], isFresh: boolean) => {
      if (!isHere || !found.length) return;
      if (isFresh) setFresh(new Set(found.map((each) => each.id)));
      setMatches((before) => {
        const known = new Set(before.map((each) => each.id));
        const added = found.filter((each) => !known.has(each.id));
        return [...added.reverse(), ...before].slice(0, SHOWN);
      });
    };
    let arrived: Match[] = [];
    let frame = 0;
    const flow = api.stream<Match>('/v1/matches/stream', (match) => {
      arrived.push(match);
      frame ||= window.setTimeout(() => {
        frame = 0;
        add(arrived.slice(-SHOWN), true);
        arrived = [];
      }, 120);
    });
    api.get<MatchPage>('/v1/matches', { query: { newest: true, limit: SHOWN } }).then(
      (page) => add(page.matches, false),
      () => undefined,
    );
    return () => {
      isHere = false;
      clearTimeout(frame);
      flow.close();
    };
  }, []);
  return (
    <div class="card" data-tour="newest">
      <div class="card-head">
        <h2>Newest matches</h2>
        <span class="spring" />
        <a class="small" href="#/matches">
          All matches
        </a>
      </div>
      {matches.length ? (
        <ul class="plain match-list" aria-live="off">
          {matches.map((match) => (
            <li key={match.id}>
              <MatchRow match={match} isNew={fresh.has(match.id)} />
            </li>
          ))}
        </ul>
      ) : (
        <Empty title="Nothing has rung yet">
          <a href="#/new">Write a subscription</a>, and publish events to <code>POST /v1/events</code>.
        </Empty>
      )}
    </div>
  );
}

const BUSIEST = 8;

function Busiest({ statistics }: { statistics: Statistics }) {
  const busiest = Object.entries(statistics.subscriptions)
    .map(([id, each]) => ({ id, ...each, hour: each.minutes.reduce((sum, minute) => sum + minute, 0) }))
    .sort((one, other) => other.hour - one.hour || other.matches - one.matches || one.id.localeCompare(other.id))
    .slice(0, BUSIEST);
  return (
    <div class="card">
      <div class="card-head">
        <h2>Busiest subscriptions</h2>
        <span class="spring" />
        <a class="small" href="#/subscriptions">
          All
        </a>
      </div>
      {busiest.length ? (
        <ul class="plain">
          {busiest.map((each) => (
            <li key={each.id}>
              <a class="busy-row" href={href('subscriptions', each.id)}>
                <span class="ellipsis">{each.id}</span>
                <Sparkline
                  values={each.minutes}
                  label={`${each.hour} matches in the last hour`}
                  tone="ring"
                  width={90}
                />
                <span class="number">{short(each.matches)}</span>
              </a>
            </li>
          ))}
        </ul>
      ) : (
        <Empty title="No subscription yet">
          <a href="#/new">Write the first one</a>
        </Empty>
      )}
    </div>
  );
}

function NewestLetters() {
  const { data } = useApi<{ dead_letters: DeadLetter[] }>('/v1/dead-letters?newest=true&limit=5', 3_000);
  const letters = [...(data?.dead_letters ?? [])].reverse();
  return (
    <div class="card">
      <div class="card-head">
        <h2>Dead letters</h2>
        <span class="spring" />
        <a class="small" href="#/dead-letters">
          All
        </a>
      </div>
      {letters.length ? (
        <ul class="plain">
          {letters.map((letter) => (
            <li key={letter.id}>
              <a class="letter-row" href={href('dead-letters') + `?id=${letter.id}`}>
                <span class="badge badge-bad">{letter.code}</span>
                <span class="ellipsis">{letter.reason}</span>
                <span class="muted small">{ago(letter.stored)}</span>
              </a>
            </li>
          ))}
        </ul>
      ) : (
        <Empty title="None: all could be served" />
      )}
    </div>
  );
}

function SparkCard({ spark }: { spark: Record<string, unknown> }) {
  return (
    <div class="card">
      <div class="card-head">
        <h2>Spark query</h2>
      </div>
      <dl class="facts card-body">
        {Object.entries(spark).map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
