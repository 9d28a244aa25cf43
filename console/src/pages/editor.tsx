import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import { api, type Attributes, type Checked, type EventPage, type Found, type Subscription } from '../api';
import { Confirm } from '../components/Confirm';
import { useAction, useApi } from '../components/hooks';
import { Loading, ProblemNote } from '../components/notes';
import { StateBadge } from '../components/StateBadge';
import { CodeEditor } from '../editor/CodeEditor';
import { bodyOf, draftOf, isSame, NEW_DRAFT, type Draft } from '../editor/draft';
import { EXAMPLES } from '../editor/examples';
import { LANGUAGE_NAMES, LANGUAGES } from '../editor/languages';
import { NowCard } from '../editor/NowCard';
import { PlanCard } from '../editor/PlanCard';
import { ruleAbout } from '../editor/region-rule';
import { Settings } from '../editor/Settings';
import { TryIt } from '../editor/TryIt';
import { goTo, href, route } from '../router';
import { may } from '../session';
import './editor.css';

const NOTHING_CHECKED: Checked = { ok: false, problems: [], warnings: [] };

/** So many milliseconds the text stands still before it is checked. */
const PAUSE = 250;

export default function EditorPage({ params: [id] }: PageProps) {
  const path = id === undefined ? null : `/v1/subscriptions/${encodeURIComponent(id)}`;
  const { data, problem, again } = useApi<Subscription>(path);
  if (problem) return <ProblemNote problem={problem} />;
  if (id === undefined) return <NewEditor key={route.value.query.toString()} query={route.value.query} />;
  if (!data) return <Loading />;
  return <Editor kept={data} start={draftOf(data)} onSaved={again} />;
}

/** A new subscription that begins with what the address asks for: a text, or a rule about a region. */
function NewEditor({ query }: { query: URLSearchParams }) {
  const region = query.get('region');
  const { data, problem } = useApi<EventPage>(region && '/v1/events?newest=true&limit=500');
  const asked = {
    ...NEW_DRAFT,
    id: query.get('id') ?? '',
    language: query.get('language') ?? NEW_DRAFT.language,
    expression: query.get('expression') ?? '',
  };
  const onSaved = () => undefined;
  if (!region) return <Editor kept={null} start={asked} onSaved={onSaved} />;
  if (!data && !problem) return <Loading />;
  const expression = ruleAbout(region, data ?? { events: [] });
  return <Editor kept={null} start={{ ...asked, id: asked.id || `enters-${region}`, expression }} onSaved={onSaved} />;
}

interface EditorProps {
  kept: Subscription | null;
  start: Draft;
  onSaved: () => void;
}

function Editor({ kept, start, onSaved }: EditorProps) {
  const [draft, setDraft] = useState(start);
  const [given, setGiven] = useState({ text: start.expression });
  const [saved, setSaved] = useState(kept ? start : NEW_DRAFT);
  const [looked, setLooked] = useState({ asked: '', checked: NOTHING_CHECKED });
  const { data: known } = useApi<Attributes>('/v1/attributes', 30_000);
  const { problem, run, isBusy, clear } = useAction();
  const [told, setTold] = useState('');
  const latest = useRef(draft);
  latest.current = draft;

  const change = (changed: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...changed }));
    setTold('');
    clear();
  };
  const asked = JSON.stringify({ ...draft, id: '' });
  useEffect(() => {
    let isWanted = true;
    const timer = setTimeout(() => {
      void lookAt(latest.current).then((checked) => isWanted && setLooked({ asked, checked }));
    }, PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [asked]);
  // What was found last is shown until the next is known; only of the text as it is now may more be asked.
  const { checked } = looked;
  const isReady = checked.ok && looked.asked === asked;

  const isChanged = !isSame(draft, saved);
  const isNamed = draft.id.trim() !== '';
  const save = () => {
    if (!isNamed || !latest.current.expression.trim()) return;
    run(async () => {
      const id = latest.current.id.trim();
      const isPaused = kept?.paused === true;
      const body = { ...bodyOf(latest.current), ...(isPaused ? { paused: true } : {}) };
      await api.put(`/v1/subscriptions/${encodeURIComponent(id)}`, body);
      setSaved(latest.current);
      setTold('Saved. It applies to events from now on.');
      if (kept) onSaved();
      else goTo(href('subscriptions', id));
    });
  };
  return (
    <section class="page">
      <header class="page-head">
        <h1>{kept ? kept.id : 'New subscription'}</h1>
        {kept && <StateBadge subscription={kept} />}
        <span class="spring" />
        {kept && <Standing kept={kept} onChanged={onSaved} />}
        <button
          class="primary"
          onClick={save}
          disabled={isBusy || !isNamed || !isReady || !isChanged || !may('subscribe')}
        >
          {isBusy ? 'Saving …' : kept ? 'Save changes' : 'Save'}
        </button>
      </header>
      {problem && <ProblemNote problem={problem} />}
      {told && (
        <p class="note note-ok" role="status">
          {told}
        </p>
      )}
      <Suspended kept={kept} />
      <div class="editor-columns">
        <div class="grid">
          <div class="card editor-card" data-tour="editor">
            <Top draft={draft} isNew={!kept} onChange={change} onExample={(text) => setGiven({ text })} />
            <CodeEditor
              given={given}
              language={draft.language}
              label="Text of the subscription"
              known={known}
              onChange={(expression) => change({ expression })}
              onSave={save}
              checked={checked}
            />
            <Problems checked={checked} isEmpty={!draft.expression.trim()} />
            <Settings draft={draft} onChange={change} />
          </div>
          <TryIt draft={draft} isReady={isReady} />
        </div>
        <div class="grid">
          <PlanCard draft={draft} isReady={isReady} />
          {kept && <NowCard id={kept.id} />}
        </div>
      </div>
    </section>
  );
}

/** What the service says to a draft; an empty one is no problem yet. */
async function lookAt(draft: Draft): Promise<Checked> {
  if (!draft.expression.trim()) return NOTHING_CHECKED;
  try {
    return await api.post<Checked>('/v1/check', bodyOf(draft));
  } catch (error) {
    const { code = 'ConsoleError', message, hint } = error as Found & Error;
    return { ok: false, problems: [{ code, message, hint }], warnings: [] };
  }
}

interface TopProps {
  draft: Draft;
  isNew: boolean;
  onChange: (change: Partial<Draft>) => void;
  onExample: (text: string) => void;
}

function Top({ draft, isNew, onChange, onExample }: TopProps) {
  const names = LANGUAGE_NAMES.includes(draft.language) ? LANGUAGE_NAMES : [draft.language, ...LANGUAGE_NAMES];
  const examples = EXAMPLES[draft.language] ?? [];
  return (
    <div class="editor-top">
      {isNew && (
        <label class="field editor-name">
          <span>Name</span>
          <input
            value={draft.id}
            placeholder="late-trucks"
            autocomplete="off"
            onInput={(event) => onChange({ id: event.currentTarget.value })}
          />
        </label>
      )}
      <label class="field">
        <span>Language</span>
        <select value={draft.language} onChange={(event) => onChange({ language: event.currentTarget.value })}>
          {names.map((name) => (
            <option key={name} value={name}>
              {LANGUAGES[name]?.label ?? name}
            </option>
          ))}
        </select>
      </label>
      {examples.length > 0 && (
        <label class="field">
          <span>Example</span>
          <select value="" onChange={(event) => onExample(examples[Number(event.currentTarget.value)]!.expression)}>
            <option value="" disabled>
              Begin with …
            </option>
            {examples.map((example, index) => (
              <option key={example.title} value={index}>
                {example.title}
              </option>
            ))}
          </select>
        </label>
      )}
      <p class="muted small editor-about">{LANGUAGES[draft.language]?.about}</p>
    </div>
  );
}

function Problems({ checked, isEmpty }: { checked: Checked; isEmpty: boolean }) {
  const { ok, problems, warnings } = checked;
  return (
    <div class="problems" role="status" aria-label="Problems">
      {isEmpty && <p class="muted">It is checked while you type.</p>}
      {!isEmpty && ok && <p class="ok">No problems</p>}
      {!isEmpty && !ok && problems.length === 0 && <p class="muted">Checking …</p>}
      {problems.map((found, index) => (
        <FoundLine key={index} found={found} tone="bad" />
      ))}
      {warnings.map((found, index) => (
        <FoundLine key={index} found={found} tone="warn" />
      ))}
    </div>
  );
}

function FoundLine({ found, tone }: { found: Found; tone: 'bad' | 'warn' }) {
  return (
    <div class={`found found-${tone}`}>
      <p>
        <span class={tone}>{found.message}</span>{' '}
        <span class="muted small">
          {found.line ? `line ${found.line}, column ${found.column} · ` : ''}
          {found.code}
        </span>
      </p>
      {found.hint && <p class="small">{found.hint}</p>}
    </div>
  );
}

function Suspended({ kept }: { kept: Subscription | null }) {
  const trouble = kept?.problem;
  if (!trouble) return null;
  return (
    <ProblemNote
      problem={{ code: trouble.code, detail: trouble.reason, hint: 'save it again to have it ring again' }}
    />
  );
}

/** Pause, resume, delete. */
function Standing({ kept, onChanged }: { kept: Subscription; onChanged: () => void }) {
  const { run, isBusy, problem } = useAction();
  const [isAsking, setAsking] = useState(false);
  const path = `/v1/subscriptions/${encodeURIComponent(kept.id)}`;
  const pause = () =>
    run(async () => {
      await api.post(`${path}/${kept.paused ? 'resume' : 'pause'}`);
      onChanged();
    });
  const remove = (isWanted: boolean) => {
    setAsking(false);
    if (isWanted)
      run(async () => {
        await api.delete(path);
        goTo('#/subscriptions');
      });
  };
  return (
    <>
      {problem && <span class="bad small">{problem.detail}</span>}
      <button onClick={pause} disabled={isBusy}>
        {kept.paused ? 'Resume' : 'Pause'}
      </button>
      <button class="danger" onClick={() => setAsking(true)} disabled={isBusy}>
        Delete
      </button>
      {isAsking && (
        <Confirm
          title={`Delete ${kept.id}?`}
          text="It stops matching. Existing matches are kept."
          action="Delete it"
          onDecide={remove}
        />
      )}
    </>
  );
}
