"""The service as a whole: put together, started, moved, repaired.

Begin with `server.py`, which puts the routes together and runs them on a port until a signal, and
`components.py`, the list of optional parts. `postgres_migration.py` moves a data folder to
PostgreSQL, `recovery.py` repairs a service that has lost data, or whose clock was ahead.

Imports: `catalog`, `database`, `engine`, `errors`, `events`, `hub`, `runtime`, `service.api`,
`service.core`, `service.delivery`, `service.epcis`, `service.federation`, `service.http`,
`service.runner`, `service.settings`, `service.sources`, `service.storage`, `values`.
Test a change with: `tests/service/core`, `tests/service/spark/test_moving.py`.
"""
