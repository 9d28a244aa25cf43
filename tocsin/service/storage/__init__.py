"""The storage of the service: log of events, matches, dead letters, state and keys.

Begin with `log.py` and `schema.py`, every table. `results.py` writes matches and dead letters,
`matches.py` and `dead_letters.py` read them per tenant, `progress.py` and `snapshots.py` keep the
state of a runner, `lock.py` and `lease.py` let one process work, `keys.py` has hashes of keys;
`marks.py` and `positions.py` show `faults.py` that data are lost, `salvage.py` copies the rest.

Imports: `catalog`, `database`, `errors`, `events`, `runtime`, `values`.
Test a change with: `tests/service/core/test_log.py`, `tests/service/core/test_kill.py`,
`tests/service/core/test_damage.py`.
"""
