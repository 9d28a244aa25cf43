"""The match tasks: rows are matched in place, and composite inputs are sent to shards.

Begin with `match_task.py` (a batch) and `stream_task.py` (a stream). `by_event.py` has a row per
event, `routing.py` finds its shards, `messages.py` and `serde.py` write for them, `generations.py`
matches constructed events, `deduplication.py` keeps the first, `isolated_row.py` matches a row that
raises.
Imports: `catalog`, `engine`, `errors`, `events`, `plan`, `runtime`, `spark.input`, `spark.output`,
`spark.plans`, `values`.
Test a change with: `tests/spark/test_worker.py`, `tests/spark/test_faults.py`,
`tests/spark/shard/test_messages.py`.
"""
