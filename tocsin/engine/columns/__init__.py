"""Batches of events as columns, and their partitions.

Begin with `batch.py`: each column is created on first access, a missing attribute is null.
`arrow.py` makes typed arrays without a Python object per value where it can, `partitions.py` splits
a batch by key.

Imports: `engine.index`, `engine.json_scan`, `events`, `lazy_import`, `plan`, `values`.
Test a change with: `tests/engine/test_columns.py`, `tests/values/test_shares.py`.
"""
