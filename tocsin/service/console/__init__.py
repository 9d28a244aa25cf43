"""The data of the console: its files, stored events, statistics, operators.

Begin with `statistics.py` (rates), `network.py` (the operators that a tenant sees) and `why.py` (a
stored match explained, by `tocsin.explain`). `stored_events.py` has the events, by page and live,
`knowledge.py` the names for authors, `tally.py` the counts of tenants, `files.py` the built pages.
The console uses the public routes only.

Imports: `catalog`, `engine`, `errors`, `events`, `explain`, `knowledge`, `plan`, `runtime`,
`service.base`, `service.runner`, `service.storage`, `service.subscriptions`, `values`.
Test a change with: `tests/service/console`, `tests/console` (in a browser).
"""
