"""Batches of events as columns, and their partitions.

All is in `batch.py`: each column is created on first access, a missing attribute is null; Arrow
arrays become typed arrays without a Python object per value where that is possible; and a batch is
split by key.

Imports: `engine.index`, `engine.json_scan`, `events`, `lazy_import`, `plan`, `values`.
Test a change with: `tests/engine/test_columns.py`, `tests/values/test_shares.py`.
"""
