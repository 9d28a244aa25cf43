"""The building blocks of all indexes: growing columns, posting lists, keys, counters.

Begin with `growable.py`, arrays that grow and posting lists in them. `matcher_parts.py` has what
every matcher has: slots, given out to subscriptions and to all else that is numbered and removed,
pairs of event and subscription, and counted work, so that tests can prove what was not done.
`encoding.py` makes typed arrays. `kernels.py` compiles loops, recognises changed code, and is the
only file that loads numba.

Imports: `errors`, `lazy_import`, `values`; nothing else of the engine.
Test a change with: `tests/engine/test_tables.py`, `tests/engine/test_kernels.py`.
"""
