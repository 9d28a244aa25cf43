"""The service: publish events and subscribe over HTTP. An accepted event is never lost.

No code lies here; each room knows only those below it. Begin with `core`, which puts the service
together. `storage` has the log, `core.ingest` and `sources` fill it, `subscriptions` compiles,
`runner` matches, `delivery` sends, `api`, `epcis` and `federation` answer others, `console` has
data for the pages, `operations` starts and repairs; `settings`, `base`, `http` and `outbound` serve
them.

Imports: nothing of Tocsin; the order of the rooms is in .importlinter.
Test a change with: `tests/service`, `tests/drill`.
"""
