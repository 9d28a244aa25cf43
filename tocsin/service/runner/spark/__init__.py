"""The service on Spark: its log as a source, and a driver in a process of its own.

Begin with `runner.py`, which starts the driver and restarts it when it ends, then `driver.py`, that
process. `log.py` is the log as a DataFrame, `sink.py` stores a micro-batch completely or not at
all.

Imports: `catalog`, `database`, `errors`, `events`, `runtime`, `service.base`, `service.runner`,
`service.settings`, `service.storage`, `spark`, `values`.
Test a change with: `tests/service/spark`.
"""
