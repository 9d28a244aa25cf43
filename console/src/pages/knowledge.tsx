import type { PageProps } from '../app';

export default function KnowledgePage(_: PageProps) {
  return (
    <section class="page">
      <h1>Knowledge</h1>
    </section>
  );
}
