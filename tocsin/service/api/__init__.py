"""The HTTP routes of the service, one file per group of addresses.

Begin with `app.py`, all routes of one service. `events.py` accepts events, `subscriptions.py` and
`definitions.py` change the catalog, `asking.py` checks and tries one before it is stored,
`matches.py` reads and streams matches and replays dead letters, `status.py` is for operators, with
the metrics, `pages.py` has the console; `bodies.py` has the schemas. Every response that is not a
success is a problem document.

Imports: `catalog`, `errors`, `events`, `explain`, `knowledge`, `plan`, `runtime`, `service.base`,
`service.console`, `service.core`, `service.delivery`, `service.http`, `service.settings`,
`service.storage`, `service.subscriptions`, `values`.
Test a change with: `tests/service/core`, `tests/service/console`.
"""
