import type { PageProps } from '../app';

export default function DeadLettersPage(_: PageProps) {
  return (
    <section class="page">
      <h1>DeadLetters</h1>
    </section>
  );
}
