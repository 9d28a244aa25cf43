/** A plan as a tree, the path that was satisfied lit. */

import type { PlanPart } from './types';

export function PlanTree({ plan }: { plan: PlanPart }) {
  return (
    <ul class="why-tree" aria-label="Plan">
      <Part part={plan} />
    </ul>
  );
}

function Part({ part }: { part: PlanPart }) {
  const state = part.satisfied === null ? 'open' : part.satisfied ? 'met' : 'unmet';
  return (
    <li class={`why-part why-${state}`}>
      <span class="why-node">
        <span class="badge">{part.kind}</span>
        <span class="mono">{part.label}</span>
        <span class="sr-only">{{ met: 'satisfied', unmet: 'not satisfied', open: 'not known' }[state]}</span>
      </span>
      {part.children.length > 0 && (
        <ul>
          {part.children.map((child, index) => (
            <Part key={index} part={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
