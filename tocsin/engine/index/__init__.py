"""The building blocks of all indexes: growing columns, posting lists, keys, counters.

Begin with `postings.py` and `growable.py`. `keys.py` gives out slots, to subscriptions and to all
else that is numbered and removed; `hits.py` has the pairs of event and subscription, `encoding.py`
makes typed arrays, `counters.py` counts work, so that tests can prove it was not done. `kernels.py`
compiles loops and is the only file that loads numba; `kernel_stamp.py` recognises changed code.

Imports: `errors`, `lazy_import`, `values`; nothing else of the engine.
Test a change with: `tests/engine/test_tables.py`, `tests/engine/test_kernels.py`.
"""
