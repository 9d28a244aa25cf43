"""The service without its addresses: its parts in one place.

Begin with `service.py`: log, catalog, matches and runner are opened, started and stopped in order.
`ingest.py` makes rows of the log from the body of a request, and tries dead letters again;
`keyring.py` has the keys in use and their rates, `retention.py` removes old data.

Imports: `catalog`, `database`, `engine`, `errors`, `events`, `hub`, `runtime`, `service.base`,
`service.console`, `service.runner`, `service.settings`, `service.storage`, `service.subscriptions`,
`values`.
Test a change with: `tests/service/core`.
"""
