import type { PageProps } from '../app';

export default function LivePage(_: PageProps) {
  return (
    <section class="page">
      <h1>Live</h1>
    </section>
  );
}
