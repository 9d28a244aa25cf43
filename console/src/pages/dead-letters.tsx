import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import { api, type DeadLetter } from '../api';
import { useAction } from '../components/hooks';
import { Empty, Loading, ProblemNote } from '../components/notes';
import { ago, count, pretty, when } from '../format';
import { goTo, href, hrefWith, route } from '../router';
import { may } from '../session';
import './dead-letters.css';

const PAGE = 100;

interface LetterPage {
  dead_letters: DeadLetter[];
  next: number;
}

export default function DeadLettersPage(_: PageProps) {
  const [letters, setLetters] = useState<DeadLetter[]>([]);
  const [isDone, setDone] = useState(false);
  const [code, setCode] = useState('');
  const [codes, setCodes] = useState<Set<string>>(new Set());
  const { problem, run, isBusy } = useAction();
  const [isLoaded, setLoaded] = useState(false);
  const chosen = Number(route.value.query.get('id') ?? 0);

  const load = useCallback(
    (before: number | null) =>
      run(async () => {
        const query = { newest: true, limit: PAGE, before, code };
        const page = await api.get<LetterPage>('/v1/dead-letters', { query });
        const found = page.dead_letters.reverse();
        setLetters((known) => (before === null ? found : [...known, ...found]));
        setCodes((known) => new Set([...known, ...found.map((each) => each.code)]));
        setDone(found.length < PAGE);
        setLoaded(true);
      }),
    [code],
  );
  useEffect(() => load(null), [load]);

  const letter = letters.find((each) => each.id === chosen);
  return (
    <section class="page">
      <header class="page-head">
        <h1>Dead letters</h1>
        <span class="muted">what could not be served, and why</span>
        <span class="spring" />
        <label>
          <span class="sr-only">Code</span>
          <select value={code} onChange={(event) => setCode(event.currentTarget.value)}>
            <option value="">All codes</option>
            {[...codes].sort().map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button onClick={() => load(null)} disabled={isBusy}>
          Refresh
        </button>
      </header>
      {problem && <ProblemNote problem={problem} />}
      {!isLoaded && !problem && <Loading />}
      {isLoaded && (
        <div class={letter ? 'letters has-letter' : 'letters'}>
          <div class="card" data-tour="dead-letters">
            {letters.length === 0 && (
              <Empty title="None: all could be served">A broken event would wait here to be mended.</Empty>
            )}
            <ul class="plain">
              {letters.map((each) => (
                <li key={each.id}>
                  <LetterRow letter={each} isChosen={each.id === chosen} />
                </li>
              ))}
            </ul>
            {!isDone && letters.length > 0 && (
              <p class="card-body">
                <button onClick={() => load(letters.at(-1)!.id)} disabled={isBusy}>
                  Show older ones
                </button>
              </p>
            )}
          </div>
          {letter && <LetterCard key={letter.id} letter={letter} onReplayed={() => load(null)} />}
        </div>
      )}
    </section>
  );
}

function LetterRow({ letter, isChosen }: { letter: DeadLetter; isChosen: boolean }) {
  return (
    <a
      class="letter"
      href={hrefWith('dead-letters', { id: String(letter.id) })}
      aria-current={isChosen ? 'true' : undefined}
    >
      <span class="letter-top">
        <span class={letter.replayed ? 'badge' : 'badge badge-bad'}>{letter.code}</span>
        {letter.replayed && <span class="badge badge-ok">replayed</span>}
        <span class="spring" />
        <span class="muted small">{ago(letter.stored)}</span>
      </span>
      <span class="letter-reason">{letter.reason}</span>
    </a>
  );
}

/** One letter: why, what came, and the way to mend it and to try it again. */
function LetterCard({ letter, onReplayed }: { letter: DeadLetter; onReplayed: () => void }) {
  const given = letter.input === null ? '' : pretty(letter.input);
  const [text, setText] = useState(given);
  const [told, setTold] = useState<string | null>(null);
  const { problem, run, isBusy, clear } = useAction();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const isMended = text !== given;
  const isJson = looksLikeJson(text);
  const replay = () =>
    run(async () => {
      const path = `/v1/dead-letters/${letter.id}/replay`;
      const answer = isMended
        ? await api.postText<{ position: number | null }>(
            path,
            text,
            isJson ? 'application/cloudevents+json' : 'text/plain',
          )
        : await api.post<{ position: number | null }>(path);
      setTold(
        answer.position === null
          ? 'It was tried again.'
          : `It is in the log again, at position ${count(answer.position)}.`,
      );
      onReplayed();
    });
  return (
    <article class="card letter-card" aria-labelledby="letter-title">
      <div class="card-head">
        <h2 id="letter-title" tabIndex={-1} ref={title}>
          {letter.code}
        </h2>
        <span class="muted small">{when(letter.stored)}</span>
        <span class="spring" />
        <button class="link small" onClick={() => goTo('#/dead-letters')}>
          Close
        </button>
      </div>
      <div class="card-body letter-body">
        <p class="letter-why">{letter.reason}</p>
        <dl class="facts">
          {letter.subscription && (
            <div>
              <dt>subscription</dt>
              <dd>
                <a href={href('subscriptions', letter.subscription)}>{letter.subscription}</a>
              </dd>
            </div>
          )}
          {letter.event && (
            <div>
              <dt>position in the log</dt>
              <dd class="mono">{letter.event}</dd>
            </div>
          )}
          {letter.replayed && (
            <div>
              <dt>replayed</dt>
              <dd>{when(letter.replayed)}</dd>
            </div>
          )}
        </dl>
        <label class="field">
          <span>What came{isMended && ', mended'}</span>
          <textarea
            rows={Math.min(22, Math.max(6, text.split('\n').length + 1))}
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              clear();
              setTold(null);
            }}
          />
        </label>
        {isMended && isJson && jsonProblem(text) && <p class="bad small">{jsonProblem(text)}</p>}
        {problem && <ProblemNote problem={problem} />}
        {told && (
          <p class="note note-ok" role="status">
            {told} <a href="#/matches">See what rang</a>
          </p>
        )}
        <div class="actions">
          <button class="primary" onClick={replay} disabled={isBusy || !may('subscribe')}>
            {isMended ? 'Replay edited event' : 'Replay as it is'}
          </button>
          {isMended && (
            <button onClick={() => setText(given)} disabled={isBusy}>
              Back to what came
            </button>
          )}
        </div>
      </div>
    </article>
  );
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `This is no JSON yet: ${(error as Error).message}`;
  }
}
