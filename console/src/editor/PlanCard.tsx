import { useEffect, useState } from 'preact/hooks';
import { api, asProblem, type Explained, type Problem } from '../api';
import { bodyOf, type Draft } from './draft';

/** What the text means, as the service has understood it. */
export function PlanCard({ draft, isReady }: { draft: Draft; isReady: boolean }) {
  const [explained, setExplained] = useState<Explained | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const asked = isReady
    ? JSON.stringify([draft.language, draft.expression, draft.policy, draft.horizon, draft.options])
    : null;
  useEffect(() => {
    if (asked === null) return;
    const left = new AbortController();
    api.post<Explained>('/v1/explain', bodyOf(draft), { signal: left.signal }).then(
      (found) => {
        setExplained(found);
        setProblem(null);
      },
      (error: unknown) => !left.signal.aborted && setProblem(asProblem(error)),
    );
    return () => left.abort();
  }, [asked]);
  return (
    <div class="card">
      <div class="card-head">
        <h2>Plan</h2>
        <span class="muted small">what the text means</span>
        {explained && !isReady && <span class="badge">as it was</span>}
      </div>
      <div class="card-body">
        {problem && isReady ? (
          <p class="bad">{problem.detail}</p>
        ) : explained ? (
          <>
            <pre class="plan-lines">{explained.plan.join('\n')}</pre>
            {explained.summary.length > 0 && <pre class="plan-summary muted">{explained.summary.join('\n')}</pre>}
          </>
        ) : (
          <p class="muted">Appears as soon as the text is understood.</p>
        )}
      </div>
    </div>
  );
}
