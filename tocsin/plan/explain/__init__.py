"""Plans in words.

Begin with `plan.py`: the tree, the order of evaluation, the cost and the bound of the state.
`composites.py` explains composites, `atoms.py` every family in a line; its conditions, `graphs.py`
and `exmlql.py` are text that is read back as the same.

Imports: `errors`, `events`, `knowledge`, `plan.nodes`, `plan.semantics`, `plan.xml`, `values`.
Test a change with: `tests/plan/test_explain.py`, `tests/engine/xml/test_block_text.py`.
"""
