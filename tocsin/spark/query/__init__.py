"""The queries, made on the driver: the arguments of a caller become one dataflow.

Begin with `matching.py`, the function `match`, and `dataflow.py`. `finite.py` serves the command
line, `live.py` the service, `outgoing_events.py` passes results on, `metrics.py` counts,
`failures.py` explains a failed query, `absent_columns.py` warns, `session.py` makes a local session
and chooses the Python of its workers.

Imports: `catalog`, `errors`, `events`, `plan`, `runtime`, `spark.input`, `spark.match_task`,
`spark.output`, `spark.plans`, `spark.shard`, `spark.versions`, `values`.
Test a change with: `tests/spark`, above all `tests/spark/test_batch.py` and
`tests/spark/test_stream.py`.
"""
