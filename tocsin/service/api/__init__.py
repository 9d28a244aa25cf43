"""The HTTP routes of the service, one file per group of addresses.

Begin with `app.py`, all routes of one service. `events.py` accepts events, `subscriptions.py` and
`definitions.py` change the catalog, `asking.py` checks and tries one before it is stored,
`matches.py` reads and streams, `dead_letters.py` replays, `metrics.py` and `health.py` are for
operators; `bodies.py` has the schemas. Every response that is not a success is a problem document.
Imports: `catalog`, `errors`, `events`, `knowledge`, `plan`, `runtime`, `service.base`,
`service.console`, `service.core`, `service.delivery`, `service.http`, `service.ingest`,
`service.settings`, `service.storage`, `service.subscriptions`, `values`, `version`.
Test a change with: `tests/service/core`, `tests/service/console`.
"""
