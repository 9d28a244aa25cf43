import type { Match } from '../api';
import { when } from '../format';
import { href } from '../router';

/** A match in one line: when, which subscription, which events, what was bound. */
export function MatchRow({ match, isNew = false }: { match: Match; isNew?: boolean }) {
  return (
    <a class={isNew ? 'match-row arrives' : 'match-row'} href={href('matches', match.id)}>
      <time class="match-time" dateTime={match.detected ?? undefined}>
        {when(match.detected)}
      </time>
      <span class="match-name ellipsis">{match.subscription}</span>
      <span class="match-events ellipsis mono">{match.events.join(', ')}</span>
      <span class="match-bindings ellipsis muted">{told(match)}</span>
    </a>
  );
}

function told(match: Match): string {
  const bound = Object.entries(match.bindings).map(([name, value]) => `${name} ${value}`);
  if (bound.length) return bound.join(' · ');
  return match.place ?? match.sources[0] ?? '';
}
