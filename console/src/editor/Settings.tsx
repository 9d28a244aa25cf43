import { useState } from 'preact/hooks';
import type { Draft } from './draft';

/** What else a subscription may say; most say nothing. */
export function Settings({ draft, onChange }: { draft: Draft; onChange: (change: Partial<Draft>) => void }) {
  const hasAny = [draft.subscriber, draft.policy, draft.horizon, draft.options, draft.deliver].some(Boolean);
  const [isOpen, setOpen] = useState(hasAny);
  return (
    <details class="settings" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Settings</summary>
      <div class="settings-fields">
        <label class="field">
          <span>Subscriber</span>
          <input
            value={draft.subscriber}
            placeholder="who is told"
            onInput={(event) => onChange({ subscriber: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Policy</span>
          <input
            value={draft.policy}
            placeholder="which of several ways to match"
            onInput={(event) => onChange({ policy: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Horizon</span>
          <input
            value={draft.horizon}
            placeholder="for example 24h"
            onInput={(event) => onChange({ horizon: event.currentTarget.value })}
          />
        </label>
        <label class="field settings-wide">
          <span>Options, as JSON</span>
          <textarea
            rows={2}
            spellcheck={false}
            value={draft.options}
            placeholder="{}"
            onInput={(event) => onChange({ options: event.currentTarget.value })}
          />
        </label>
        <label class="field settings-wide">
          <span>Delivery, as JSON</span>
          <textarea
            rows={2}
            spellcheck={false}
            value={draft.deliver}
            placeholder={'{"webhook": {"url": "https://..."}}'}
            onInput={(event) => onChange({ deliver: event.currentTarget.value })}
          />
        </label>
      </div>
    </details>
  );
}
