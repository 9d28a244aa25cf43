"""The papers' own algorithms and figures, for reading and for comparison: options choose them.

`graph_matcher.py` is the strategy `paper` of graph patterns (spec 4.2-4.6): home patterns wait at
entries, and trees last for one event. `graph_statements.py` has the statement types and the
entries, `graph_trees.py` the matching trees with partial verification (SBPV) and the final one
(BEBV), `graph_printing.py` a tree in words. `selector_list.py` is the list S of selectors, and
shows its steps. `figures.py` draws patterns, trees and the array of statements by `svg.py`.
`xml_ql.py` translates an E-XML-QL subscription to plain XML-QL.

Imports: `engine`, `errors`, `events`, `knowledge`, `languages`, `plan`, `values`. The engine makes
the matcher of the strategy `paper` by name, and knows nothing else of this room.
Test a change with: `tests/papers`, `tests/engine/graphs/test_examples.py`,
`tests/engine/graphs/test_agreement.py`.
"""
