import { useEffect, useState } from 'preact/hooks';
import type { PageProps } from '../app';
import { api, asProblem, type Problem } from '../api';
import { Loading, ProblemNote } from '../components/notes';
import { route } from '../router';
import type { Why } from '../why/types';
import { WhyNot } from '../why/WhyNot';
import { WhyView } from '../why/WhyView';

const WHY_NOT = 'why-not';

/** Why a match rang; `#/matches/why-not?subscription=…&position=…` asks why there is none. */
export default function MatchPage({ params }: PageProps) {
  const id = params[0] ?? '';
  if (id === WHY_NOT) {
    const { query } = route.value;
    const position = Number(query.get('position'));
    return <WhyNot subscription={query.get('subscription')} position={position > 0 ? position : null} />;
  }
  return <OfMatch id={id} />;
}

function OfMatch({ id }: { id: string }) {
  const [why, setWhy] = useState<Why | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    api
      .get<Why>(`/v1/matches/${encodeURIComponent(id)}/why`, { signal: ended.signal })
      .then(setWhy)
      .catch((error: unknown) => ended.signal.aborted || setProblem(asProblem(error)));
    return () => ended.abort();
  }, [id]);
  if (problem)
    return (
      <section class="page">
        <h1>Match</h1>
        <ProblemNote problem={problem} />
      </section>
    );
  return why ? <WhyView why={why} /> : <Loading what="Asking why it rang" />;
}
