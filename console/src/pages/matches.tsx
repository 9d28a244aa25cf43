import type { PageProps } from '../app';

export default function MatchesPage(_: PageProps) {
  return (
    <section class="page">
      <h1>Matches</h1>
    </section>
  );
}
