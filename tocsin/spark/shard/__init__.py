"""The detection of composites on Spark, after the shuffle.

Begin with `shard.py`: equal steps give equal state, anywhere. `stream.py`, with the stateful
operator, and `backtest.py` build the dataflow of streams and of batches, `state_store.py` keeps a
snapshot and the steps since, and holds shards in memory.

Imports: `engine`, `errors`, `events`, `lazy_import`, `plan`, `runtime`, `spark.match_task`,
`spark.output`, `spark.plans`, `spark.versions`, `values`.
Test a change with: `tests/spark/shard`: compared with the local host.
"""
