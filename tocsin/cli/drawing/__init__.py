"""Figures of graph subscriptions as SVG, as in the paper.

Begin with `page.py`, all figures on one page. `pattern.py` draws the subscription graph, `array.py`
the array of statement types, `tree.py` a matching tree; `svg.py` has the shapes.

Imports: `engine`, `errors`, `events`, `knowledge`, `plan`, `values`.
Test a change with: `tests/cli/test_drawing.py`.
"""
