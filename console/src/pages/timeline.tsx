import type { PageProps } from '../app';

export default function TimelinePage(_: PageProps) {
  return (
    <section class="page">
      <h1>Timeline</h1>
    </section>
  );
}
