"""The data of the console: its files, stored events, statistics, partial matches.

Begin with `statistics.py` (rates), `network.py` (the operators that a tenant sees) and `why.py` (a
stored match explained). `waiting.py` has the partial matches, `plan_tree.py` a plan as a tree,
`stored_events.py` and `event_stream.py` the events, `files.py` the built pages. The console uses
the public routes only.

Imports: `catalog`, `engine`, `errors`, `events`, `hub`, `knowledge`, `plan`, `reference`,
`runtime`, `service.base`, `service.runner`, `service.storage`, `service.subscriptions`, `values`.
Test a change with: `tests/service/console`, `tests/console` (in a browser).
"""
