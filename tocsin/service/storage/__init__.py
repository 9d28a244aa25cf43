"""The storage of the service: log of events, matches, dead letters, state and keys.

Begin with `log.py` and `schema.py`, every table. `log_reader.py` reads rows of the log,
`results.py` writes matches and dead letters and reads them per tenant, `progress.py` keeps the
state of a runner, `lock.py` lets one process work, `keys.py` has hashes of keys; `marks.py` and
`positions.py` show `faults.py` that data are lost, `repair.py` copies the rest and continues.

Imports: `catalog`, `database`, `errors`, `events`, `runtime`, `values`.
Test a change with: `tests/service/core/test_log.py`, `tests/service/core/test_kill.py`,
`tests/service/core/test_damage.py`.
"""
