"""Concepts (description logic): descriptions of things, their names, and the calculus.

Begin with `concept.py`, a concept as a tree and as text, and `tbox.py`, the meaning of names, which
expansion replaces by it. `tableau.py` decides, `assertions.py` has facts about individuals,
`datatypes.py` literals; `owl.py` with `expressions.py` reads OWL 2, `axioms.py` refuses cycles.

Imports: `errors`, `knowledge`, `values`.
Test a change with: `tests/engine/concepts`, `tests/knowledge/test_el.py`.
"""
