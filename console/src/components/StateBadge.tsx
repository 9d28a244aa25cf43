import type { Subscription } from '../api';

const LOOK: Record<string, string> = { live: 'badge badge-ok', paused: 'badge', suspended: 'badge badge-bad' };

/** How a subscription stands: live, paused, or suspended with the reason. */
export function StateBadge({ subscription }: { subscription: Pick<Subscription, 'state' | 'problem'> }) {
  const state = subscription.state ?? 'live';
  const problem = subscription.problem as { reason?: string } | undefined;
  return (
    <span class={LOOK[state] ?? 'badge'} title={problem?.reason}>
      {state}
    </span>
  );
}
