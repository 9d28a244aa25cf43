"""Concepts (description logic): descriptions of things, their names, and the calculus.

Begin with `concept.py`, a concept as a tree, and `tbox.py`, the meaning of names. `expansion.py`
replaces names by it, `tableau.py` and `clashes.py` decide, `assertions.py` has facts about
individuals, `datatypes.py` literals; `owl.py` with `expressions.py` and `cycles.py` reads OWL 2,
`wording.py` writes a concept.

Imports: `errors`, `knowledge`, `values`.
Test a change with: `tests/engine/concepts`, `tests/knowledge/test_el.py`.
"""
