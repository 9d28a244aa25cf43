"""The subscriptions of a query and their plans, in workers and shards.

Begin with `sources.py`: a fixed list, also of a file, or a live catalog. `plan_cache.py` keeps
plans from task to task, with `routed_atoms.py` in place of operators; `catalog_view.py` moves an
engine from version to version, `shard_plans.py` has those of one shard and gives each subscription
its shard for ever, `catalog_version.py` ends a micro-batch at a new version.

Imports: `catalog`, `engine`, `errors`, `events`, `languages`, `plan`, `runtime`, `spark.output`,
`values`.
Test a change with: `tests/spark/test_plans_travel.py`, `tests/spark/shard/test_shards.py`,
`tests/spark/test_stream.py`.
"""
