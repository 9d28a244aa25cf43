import type { PageProps } from '../app';

export default function SubscriptionsPage(_: PageProps) {
  return (
    <section class="page">
      <h1>Subscriptions</h1>
    </section>
  );
}
