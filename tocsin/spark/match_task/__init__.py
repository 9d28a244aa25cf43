"""The match tasks: rows are matched in place, and composite inputs are sent to shards.

Begin with `match_task.py` (a batch, where a row that raises is isolated) and `stream_task.py` (a
stream, with the routes to its shards). `by_event.py` has a row per event, `messages.py` and
`serde.py` write for shards, `generations.py` matches constructed events, `admission.py` keeps the
first of equal events and leaves out those too far ahead.
Imports: `catalog`, `engine`, `errors`, `events`, `plan`, `runtime`, `spark.input`, `spark.output`,
`spark.plans`, `values`.
Test a change with: `tests/spark/test_worker.py`, `tests/spark/test_faults.py`,
`tests/spark/shard/test_messages.py`.
"""
