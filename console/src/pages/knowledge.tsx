import { useMemo, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import type { KnownClass } from '../api';
import { useApi } from '../components/hooks';
import { Icon } from '../components/icons';
import { Empty, Loading, ProblemNote } from '../components/notes';
import { count } from '../format';
import { hrefWith } from '../router';
import { buildTree, nameOf, type ClassTree } from '../knowledge/tree';
import './knowledge.css';

type Answer = KnownClass[] | { classes: KnownClass[] };

export default function KnowledgePage(_: PageProps) {
  const { data, problem } = useApi<Answer>('/v1/knowledge', 10_000);
  const classes = useMemo(() => (Array.isArray(data) ? data : (data?.classes ?? [])), [data]);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const tree = useMemo(() => buildTree(classes, text), [classes, text]);
  const known = classes.find((each) => each.iri === chosen);
  return (
    <section class="page">
      <header class="page-head">
        <h1>Knowledge</h1>
        {data && <span class="badge">{count(classes.length)} classes</span>}
        <span class="muted">what words mean here, and how often they are used</span>
      </header>
      {problem && <ProblemNote problem={problem} />}
      {!data && !problem && <Loading />}
      {data && classes.length === 0 && (
        <div class="card">
          <Empty title="No ontology is defined yet">
            <code>PUT /v1/definitions/goods</code> with <code>{'{"ontology": "..."}'}</code>, Turtle or a TBox, brings
            classes in; the languages graph and concept understand them then.
          </Empty>
        </div>
      )}
      {classes.length > 0 && (
        <>
          <div class="actions">
            <label class="search">
              <span class="sr-only">Search classes</span>
              <Icon name="search" size={16} />
              <input
                type="search"
                placeholder="Name of a class"
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </label>
          </div>
          <div class={known ? 'knowledge has-class' : 'knowledge'}>
            <div class="card">
              <div class="class-head muted small" aria-hidden="true">
                <span>class</span>
                <span class="number">events</span>
                <span class="number">subscriptions</span>
              </div>
              {tree.length ? (
                <Branch trees={tree} chosen={chosen} onChoose={setChosen} isSearch={text !== ''} level={0} />
              ) : (
                <Empty title="No class is called so" />
              )}
            </div>
            {known && <ClassCard known={known} classes={classes} onChoose={setChosen} />}
          </div>
        </>
      )}
    </section>
  );
}

interface BranchProps {
  trees: ClassTree[];
  chosen: string | null;
  onChoose: (iri: string) => void;
  isSearch: boolean;
  level: number;
}

function Branch({ trees, level, ...rest }: BranchProps) {
  return (
    <ul class="plain class-list">
      {trees.map((tree) => (
        <Twig key={tree.known.iri} tree={tree} level={level} {...rest} />
      ))}
    </ul>
  );
}

const OPEN_LEVELS = 2;

function Twig({ tree, level, chosen, onChoose, isSearch }: Omit<BranchProps, 'trees'> & { tree: ClassTree }) {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS);
  const { known, children } = tree;
  const isShown = isOpen || isSearch;
  return (
    <li>
      <div class="class-row" data-chosen={chosen === known.iri || undefined}>
        <span class="class-name" style={{ paddingLeft: `${level * 20}px` }}>
          {children.length > 0 ? (
            <button
              class={isShown ? 'twist is-open' : 'twist'}
              aria-expanded={isShown}
              aria-label={`${isShown ? 'Close' : 'Open'} ${nameOf(known)}`}
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name="play" size={9} />
            </button>
          ) : (
            <span class="twist" />
          )}
          <button class="class-button ellipsis" title={known.iri} onClick={() => onChoose(known.iri)}>
            {nameOf(known)}
          </button>
        </span>
        <span class={known.events ? 'number' : 'number muted'}>{count(known.events)}</span>
        <span class={known.subscriptions ? 'number' : 'number muted'}>{count(known.subscriptions)}</span>
      </div>
      {isShown && children.length > 0 && (
        <Branch trees={children} level={level + 1} chosen={chosen} onChoose={onChoose} isSearch={isSearch} />
      )}
    </li>
  );
}

function ClassCard({
  known,
  classes,
  onChoose,
}: {
  known: KnownClass;
  classes: KnownClass[];
  onChoose: (iri: string) => void;
}) {
  const parents = classes.filter((each) => known.parents.includes(each.iri));
  const children = classes.filter((each) => each.parents.includes(known.iri));
  const isIri = /^[a-z][a-z0-9+.-]*:\/\//i.test(known.iri);
  const start = isIri
    ? { language: 'graph', expression: `ASK { _:H a <${known.iri}> . }` }
    : { language: 'concept', expression: `exists bizStep.${known.iri}` };
  return (
    <article class="card class-card" aria-labelledby="class-title">
      <div class="card-head">
        <h2 id="class-title">{nameOf(known)}</h2>
      </div>
      <div class="card-body class-body">
        <code class="muted">{known.iri}</code>
        <dl class="facts">
          <div>
            <dt>events, of the last 1,000</dt>
            <dd>{count(known.events)}</dd>
          </div>
          <div>
            <dt>subscriptions</dt>
            <dd>{count(known.subscriptions)}</dd>
          </div>
        </dl>
        <Related title="Special case of" found={parents} onChoose={onChoose} />
        <Related title="Has special cases" found={children} onChoose={onChoose} />
        <div class="actions">
          <a class="button primary" href={hrefWith('new', start)}>
            Subscribe to it
          </a>
          {known.subscriptions > 0 && (
            <a class="button" href={hrefWith('subscriptions', { text: nameOf(known) })}>
              Its subscriptions
            </a>
          )}
        </div>
      </div>
    </article>
  );
}

function Related({ title, found, onChoose }: { title: string; found: KnownClass[]; onChoose: (iri: string) => void }) {
  if (!found.length) return null;
  return (
    <div>
      <h3>{title}</h3>
      <p class="actions">
        {found.map((each) => (
          <button key={each.iri} class="link" onClick={() => onChoose(each.iri)}>
            {nameOf(each)}
          </button>
        ))}
      </p>
    </div>
  );
}
