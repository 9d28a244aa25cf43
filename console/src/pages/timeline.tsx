import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import type { Match, StoredEvent } from '../api';
import { Icon } from '../components/icons';
import { Empty, ProblemNote } from '../components/notes';
import { href } from '../router';
import { EventTimeline, type TimelineItem } from '../timeline/EventTimeline';
import { DAY, HOUR, instantOf, MINUTE, SECOND, shownDuration, shownInstant } from '../timeline/instants';
import { DEFAULT_KEY } from '../timeline/keys';
import { KeySelect } from '../timeline/KeySelect';
import { stretchOf } from '../timeline/lanes';
import { Scrubber } from '../timeline/Scrubber';
import { useLog } from '../timeline/use-log';
import type { View } from '../timeline/view';

const LENGTHS: { label: string; length: number }[] = [
  { label: '1 s', length: SECOND },
  { label: '1 min', length: MINUTE },
  { label: '10 min', length: 10 * MINUTE },
  { label: '1 h', length: HOUR },
  { label: '1 d', length: DAY },
];

/** Events and matches by time and key: what comes now, or any part of the log. */
export default function TimelinePage(_: PageProps) {
  const log = useLog();
  const [path, setPath] = useState(DEFAULT_KEY);
  const [view, setView] = useState<View | null>(null);
  const [length, setLength] = useState<number | null>(null);
  const [picked, setPicked] = useState<TimelineItem | null>(null);
  const items = useMemo(() => log.buffer.items(path), [log.changes, path]);
  const whole = useMemo(() => stretchOf(items), [items]);

  useEffect(() => {
    if (!whole || !log.isFollowing) return;
    const end = whole[1];
    setView(length === null ? whole : [end - length, end]);
  }, [whole, log.isFollowing, length]);

  function choose(next: View): void {
    log.follow(false);
    setLength(next[1] - next[0]);
    setView(next);
  }

  function showLength(chosen: number): void {
    setLength(chosen);
    if (log.isFollowing || !view) return;
    const middle = (view[0] + view[1]) / 2;
    setView([middle - chosen / 2, middle + chosen / 2]);
  }

  async function goTo(received: number): Promise<void> {
    await log.goTo(received);
    setLength(null);
    setView(stretchOf(log.buffer.items(path)));
  }

  return (
    <section class="page">
      <div class="page-head">
        <h1>Timeline</h1>
        <KeySelect value={path} change={setPath} />
        <div class="segments" role="group" aria-label="Length of time shown">
          {LENGTHS.map((each) => (
            <button
              key={each.label}
              class="segment"
              aria-pressed={length === each.length}
              onClick={() => showLength(each.length)}
            >
              {each.label}
            </button>
          ))}
          <button
            class="segment"
            aria-pressed={length === null}
            onClick={() => {
              setLength(null);
              setView(whole);
            }}
          >
            All
          </button>
        </div>
        <span class="spring" />
        <button aria-pressed={!log.isFollowing} onClick={() => log.follow(!log.isFollowing)}>
          <Icon name={log.isFollowing ? 'pause' : 'play'} size={15} /> {log.isFollowing ? 'Pause' : 'Follow'}
        </button>
      </div>
      {log.problem && <ProblemNote problem={log.problem} />}
      <div class="card">
        <div class="card-body">
          {items.length === 0 ? (
            <Empty title="No event with a time yet">Publish one, and it is here at once.</Empty>
          ) : (
            <EventTimeline
              items={items}
              watermark={log.watermark}
              view={view}
              onView={choose}
              onPick={setPicked}
              tallest={Math.max(320, innerHeight - 330)}
              label="Events and matches"
            />
          )}
        </div>
        <div class="card-body timeline-foot">
          <Legend />
          <span class="spring" />
          {view && (
            <span class="muted small">{`${shownInstant(view[0])} and ${shownDuration(view[1] - view[0])} on`}</span>
          )}
        </div>
      </div>
      <Scrubber
        begins={log.begins}
        isFollowing={log.isFollowing}
        goTo={(received) => void goTo(received)}
        more={(where) => void log.more(where)}
      />
      {picked && (
        <Picked
          event={log.buffer.event(picked.id)}
          match={log.buffer.match(picked.id)}
          close={() => setPicked(null)}
        />
      )}
    </section>
  );
}

function Legend() {
  return (
    <div class="timeline-legend" aria-label="Legend">
      <span>
        <i class="mark" />
        event
      </span>
      <span>
        <i class="mark mark-late" />
        late event
      </span>
      <span>
        <i class="mark mark-match" />
        match
      </span>
      <span>
        <i class="mark mark-watermark" />
        watermark: nothing earlier is awaited
      </span>
    </div>
  );
}

interface PickedProps {
  event: StoredEvent | undefined;
  match: Match | undefined;
  close: () => void;
}

/** The event or match that was picked. */
function Picked({ event, match, close }: PickedProps) {
  const title = event ? `${event.event.type} ${event.event.id}` : (match?.subscription ?? '');
  if (!event && !match) return null;
  return (
    <section class="card" aria-label="Picked">
      <div class="card-head">
        <h2 class="ellipsis">{title}</h2>
        {event?.late && <span class="badge">came late</span>}
        <span class="spring" />
        {event && <a href={`#/matches/why-not?position=${event.position}`}>Why did it ring, or why not?</a>}
        {match && <a href={href('matches', match.id)}>Why it rang</a>}
        <button class="link" onClick={close}>
          Close
        </button>
      </div>
      <div class="card-body">
        {event && (
          <p class="muted small">
            {`Position ${event.position} in the log, received ${shownInstant(instantOf(event.received) ?? 0)}`}
          </p>
        )}
        <pre class="small">{JSON.stringify(event?.event ?? match, null, 2)}</pre>
      </div>
    </section>
  );
}
