import type { PageProps } from '../app';

export default function MatchPage(_: PageProps) {
  return (
    <section class="page">
      <h1>Match</h1>
    </section>
  );
}
