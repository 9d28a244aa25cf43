"""The subscriptions of a query and their plans, in workers and shards.

Begin with `sources.py`: a fixed list, also of a file, or a live catalog, at whose new version a
micro-batch ends. `plan_cache.py` keeps plans from task to task, with the atoms of composites in
place of operators; `shard_plans.py` moves an engine from version to version, has the plans of one
shard and gives each subscription its shard for ever.

Imports: `catalog`, `engine`, `errors`, `events`, `languages`, `plan`, `runtime`, `spark.output`,
`values`.
Test a change with: `tests/spark/test_plans_travel.py`, `tests/spark/shard/test_shards.py`,
`tests/spark/test_stream.py`.
"""
