import type { PageProps } from '../app';

export default function MapPage(_: PageProps) {
  return (
    <section class="page">
      <h1>Map</h1>
    </section>
  );
}
