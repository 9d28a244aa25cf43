import type { PageProps } from '../app';

export default function EditorPage(_: PageProps) {
  return (
    <section class="page">
      <h1>Editor</h1>
    </section>
  );
}
