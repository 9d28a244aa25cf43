"""The delivery of matches to webhooks, topics and files: at least once, in order.

Begin with `service.py`, then `worker.py`, which starts a task per subscription with new matches.
`cursor.py` and `store.py` remember the position, `outbox.py` reads matches, `targets.py` has the
receivers, `signing.py` signs for webhooks, `part.py` has the routes, and relays dead letters.
Receivers are isolated from each other.

Imports: `catalog`, `connectors`, `database`, `errors`, `events`, `runtime`, `service.base`,
`service.core`, `service.http`, `service.outbound`, `service.settings`, `service.sources`,
`service.storage`, `values`.
Test a change with: `tests/service/delivery`, `tests/connectors/kafka/test_delivery.py`.
"""
