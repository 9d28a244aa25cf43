import type { PageProps } from '../app';

export default function PlanPage(_: PageProps) {
  return (
    <section class="page">
      <h1>Plan</h1>
    </section>
  );
}
