/** A plan as a tree, the path that was satisfied lit. */

import type { PlanPart } from './types';

export function PlanTree({ plan }: { plan: PlanPart }) {
  return (
    <ul class="why-tree" aria-label="Plan">
      <Part part={plan} />
    </ul>
  );
}

const ABSENT = 'absent';

type State = 'met' | 'unmet' | 'open' | 'absent';

const SPOKEN: Record<State, string> = {
  met: 'satisfied',
  unmet: 'not satisfied',
  open: 'not known',
  absent: 'must not happen',
};

/** What must not happen is not lit, nor is anything in it: it did not happen, that is why it rang. */
function stateOf(part: PlanPart, isAbsent: boolean): State {
  if (isAbsent) return 'absent';
  return part.satisfied === null ? 'open' : part.satisfied ? 'met' : 'unmet';
}

function Part({ part, isAway = false }: { part: PlanPart; isAway?: boolean }) {
  const isAbsent = isAway || part.role === ABSENT;
  const state = stateOf(part, isAbsent);
  return (
    <li class={`why-part why-${state}`}>
      <span class="why-node">
        <span class="badge">{part.kind}</span>
        <span class="mono">{part.label}</span>
        <span class="sr-only">{SPOKEN[state]}</span>
      </span>
      {part.children.length > 0 && (
        <ul>
          {part.children.map((child, index) => (
            <Part key={index} part={child} isAway={isAbsent} />
          ))}
        </ul>
      )}
    </li>
  );
}
