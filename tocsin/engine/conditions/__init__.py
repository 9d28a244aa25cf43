"""The matcher of conditions on attributes: the subscriptions that each event makes TRUE.

Begin with `scan.py`, the slow way without an index, then `matcher.py`, the fast one. Predicates
become the numbered tests of `probes.py`; `indexes.py` makes an index per kind (such as
`comparisons.py`, `likes.py`, `places.py`). Formulas become `programs.py`, run by the loops of
`program_kernel.py`. Every matcher agrees with the reference.
Imports: `engine.columns`, `engine.index`, `errors`, `events`, `plan`, `values`.
Test a change with: `tests/engine/test_agreement.py`, `tests/engine/test_changes.py`,
`tests/engine/test_work.py`.
"""
