import type { Subscription } from '../api';

const LOOK: Record<string, string> = { live: 'badge badge-ok', paused: 'badge', suspended: 'badge badge-bad' };

/** How a subscription stands: live, paused, or suspended with the reason. */
export function StateBadge({ subscription }: { subscription: Pick<Subscription, 'state' | 'problem'> }) {
  const state = subscription.state ?? 'live';
  return (
    <span class={LOOK[state] ?? 'badge'} title={subscription.problem?.reason}>
      {state}
    </span>
  );
}
