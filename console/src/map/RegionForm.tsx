/** A draft as a form: its name and its corners as numbers, which is the keyboard's way to draw. */

import { useEffect, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api';
import { ProblemNote } from '../components/notes';
import {
  close,
  cornersText,
  dropLastCorner,
  flawOf,
  readCorners,
  setCorners,
  type Draft,
  type Ring,
} from './draft';
import { removeRegion, saveRegion } from './regions';

const BREAKS = 'BreaksSubscriptions';

interface RegionFormProps {
  draft: Draft;
  change: (draft: Draft) => void;
  /** The draft was saved, removed or given up; the name where it is there now. */
  done: (name: string | null) => void;
}

export function RegionForm({ draft, change, done }: RegionFormProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<'save' | 'remove'>('save');
  const flaw = flawOf(draft);

  async function attempt(what: 'save' | 'remove', isForced: boolean): Promise<void> {
    setBusy(true);
    setRefused(what);
    try {
      if (what === 'save') await saveRegion(draft, isForced);
      else await removeRegion(draft.saved!, isForced);
      done(what === 'save' ? draft.name.trim() : null);
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  }

  function onSubmit(event: Event): void {
    event.preventDefault();
    if (!flaw) void attempt('save', false);
  }

  return (
    <form class="card" aria-label="Region" onSubmit={onSubmit}>
      <div class="card-head">
        <h2>{draft.saved ? `Change ${draft.saved}` : 'New region'}</h2>
      </div>
      <div class="card-body map-form">
        <p class="muted small">
          {draft.isOpen
            ? 'Click the map for each corner, and the first one again to close. Or write the corners below.'
            : 'Drag a corner to move it, or the middle of an edge to add one; right-click removes one.'}
        </p>
        <label class="field">
          <span>Name</span>
          <input
            value={draft.name}
            disabled={draft.saved !== null}
            autocomplete="off"
            spellcheck={false}
            placeholder="Depot"
            onInput={(event) => change({ ...draft, name: event.currentTarget.value })}
          />
        </label>
        {draft.rings.map((ring, index) => (
          <RingField
            key={index}
            label={ringLabel(draft.rings, index)}
            ring={ring}
            change={(corners) => change({ ...setCorners(draft, index, corners), isOpen: false })}
          />
        ))}
        <p class="small flaw" aria-live="polite">
          {flaw ?? ''}
        </p>
        {problem && <ProblemNote problem={problem} />}
        <div class="actions">
          {draft.isOpen && (
            <>
              <button
                type="button"
                onClick={() => change(close(draft))}
                disabled={draft.rings[0]!.corners.length < 3}
              >
                Close outline
              </button>
              <button
                type="button"
                onClick={() => change(dropLastCorner(draft))}
                disabled={draft.rings[0]!.corners.length === 0}
              >
                Undo corner
              </button>
            </>
          )}
          <button class="primary" type="submit" disabled={flaw !== null || isBusy}>
            Save region
          </button>
          <button type="button" onClick={() => done(draft.saved)}>
            Cancel
          </button>
          {draft.saved && (
            <button
              class="danger"
              type="button"
              disabled={isBusy}
              onClick={() => void attempt('remove', false)}
            >
              Delete
            </button>
          )}
          {problem?.code === BREAKS && (
            <button class="danger" type="button" onClick={() => void attempt(refused, true)}>
              {refused === 'save' ? 'Save' : 'Delete'} all the same
            </button>
          )}
        </div>
      </div>
    </form>
  );
}

function ringLabel(rings: readonly Ring[], index: number): string {
  const ring = rings[index]!;
  const alike = rings.filter((each) => each.isHole === ring.isHole);
  const name = ring.isHole ? 'Hole' : 'Corners';
  const hint = 'x y (longitude latitude), one in each line';
  return alike.length > 1 ? `${name} ${alike.indexOf(ring) + 1}: ${hint}` : `${name}: ${hint}`;
}

function RingField(props: { label: string; ring: Ring; change: (corners: [number, number][]) => void }) {
  const { ring } = props;
  const [text, setText] = useState(cornersText(ring.corners));
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    const typed = readCorners(text);
    const isSame = typed !== null && cornersText(typed) === cornersText(ring.corners);
    if (!isSame) setText(cornersText(ring.corners));
    setWrong(false);
  }, [ring.corners]);

  function onInput(value: string): void {
    setText(value);
    const corners = readCorners(value);
    setWrong(corners === null);
    if (corners) props.change(corners);
  }

  return (
    <label class="field">
      <span>{props.label}</span>
      <textarea
        rows={Math.min(10, Math.max(4, ring.corners.length + 1))}
        value={text}
        spellcheck={false}
        aria-invalid={isWrong}
        placeholder={'9.92 53.52\n9.94 53.52\n9.94 53.54'}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {isWrong && <span class="bad">Each line has two numbers.</span>}
    </label>
  );
}
