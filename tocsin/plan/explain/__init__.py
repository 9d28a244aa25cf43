"""Plans in words.

Begin with `plan.py`: the tree, the order of evaluation, the cost and the bound of the state.
`phrases.py` quotes the source texts of composites with words of structure around them,
`operators.py` has words for those without one; `plan.py` puts both into lines. `atoms.py` describes
every family in a line; its conditions, `graphs.py` and `exmlql.py` are text that is read back as
the same.

Imports: `errors`, `knowledge`, `plan.nodes`, `plan.semantics`, `plan.xml`, `values`.
Test a change with: `tests/plan/test_explain.py`, `tests/languages/test_sources.py`,
`tests/engine/xml/test_block_text.py`.
"""
