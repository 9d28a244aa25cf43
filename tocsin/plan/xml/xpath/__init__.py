"""XPath 1.0 expressions of XPATH blocks, with a bound of their cost.

Begin with `read.py`, text to the tree of `syntax.py`, which is written again at least cost.
`cost_bound.py` computes the cost in a document by its `shape.py` before evaluation, equal on every
host.

Imports: `errors`, `events`.
Test a change with: `tests/engine/xml/test_xpath.py`.
"""
