import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { goTo } from '../router';
import './tour.css';

/** A walk through the pages for a first visitor. It can be left at any step and taken again. */

interface Step {
  to: string;
  /** The `data-tour` of what is marked. */
  mark: string;
  title: string;
  text: string;
}

const STEPS: Step[] = [
  {
    to: '#/live',
    mark: 'tiles',
    title: 'What happens now',
    text: 'Events come in, subscriptions ring. Each number leads to what is behind it; the lines are the last hour.',
  },
  {
    to: '#/map',
    mark: 'map',
    title: 'Where it happens',
    text: 'Things that move, regions, and matches that pulse where they rang. Draw a region here and save it under a name.',
  },
  {
    to: '#/new',
    mark: 'editor',
    title: 'Say what should ring',
    text: 'Write a subscription, for example a rule about the region. Problems are underlined while you type, with a way out; Ctrl-Space offers the attributes of real events.',
  },
  {
    to: '#/new',
    mark: 'try',
    title: 'Try it before you save it',
    text: 'It is run over the stored events of the last hours: you see what would have rung, on a timeline and on the map.',
  },
  {
    to: '#/matches',
    mark: 'matches',
    title: 'Ask why',
    text: 'Open a match to see its events, its windows and the part of the plan that was satisfied, or ask why something did not ring.',
  },
  {
    to: '#/timeline',
    mark: 'timeline',
    title: 'When it happened',
    text: 'From a day down to milliseconds; late events and the watermark are visible. Pause and go back through the log.',
  },
  {
    to: '#/dead-letters',
    mark: 'dead-letters',
    title: 'Nothing is lost',
    text: 'What could not be served waits here with its reason. Mend it and replay it.',
  },
];

const TAKEN = 'tocsin.tour';

const step = signal<number | null>(null);
const isInvited = signal(localStorage.getItem(TAKEN) === null);

export function startTour(): void {
  step.value = 0;
}

function endTour(): void {
  step.value = null;
  dismiss();
}

function dismiss(): void {
  localStorage.setItem(TAKEN, 'taken');
  isInvited.value = false;
}

/** Asks a first visitor whether to be shown around. */
export function TourInvitation() {
  if (!isInvited.value || step.value !== null) return null;
  return (
    <div class="note tour-invitation">
      <strong>New here?</strong>
      <span>Seven steps show what the console can do.</span>
      <span class="spring" />
      <span class="actions">
        <button class="primary" onClick={startTour}>
          Show me around
        </button>
        <button onClick={dismiss}>Not now</button>
      </span>
    </div>
  );
}

/** The card of the step that is shown; it lies over the page, which stays usable. */
export function Tour() {
  const at = step.value;
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (at === null) return;
    const { to, mark } = STEPS[at]!;
    goTo(to);
    const unmark = markWhenThere(mark);
    card.current?.focus();
    return unmark;
  }, [at]);
  if (at === null) return null;
  const { title, text } = STEPS[at]!;
  const isLast = at === STEPS.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') endTour();
  };
  return (
    <div
      ref={card}
      class="tour"
      role="dialog"
      aria-labelledby="tour-title"
      aria-describedby="tour-text"
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <p class="muted small">
        Step {at + 1} of {STEPS.length}
      </p>
      <h2 id="tour-title">{title}</h2>
      <p id="tour-text">{text}</p>
      <div class="actions">
        <button class="link" onClick={endTour}>
          End the tour
        </button>
        <span class="spring" />
        {at > 0 && <button onClick={() => (step.value = at - 1)}>Back</button>}
        <button class="primary" onClick={() => (isLast ? endTour() : (step.value = at + 1))}>
          {isLast ? 'Done' : 'Next'}
        </button>
      </div>
    </div>
  );
}

/** Marks an element as soon as the page has it; gives what takes the mark away. */
function markWhenThere(mark: string): () => void {
  let marked: Element | null = null;
  const look = () => {
    const found =
      document.querySelector(`main [data-tour="${mark}"]`) ?? document.querySelector(`[data-tour="${mark}"]`);
    if (found === marked) return;
    marked?.classList.remove('tour-mark');
    found?.classList.add('tour-mark');
    marked = found;
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  look();
  return () => {
    observer.disconnect();
    marked?.classList.remove('tour-mark');
  };
}
