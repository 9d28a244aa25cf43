"""The matcher of XML blocks: one pass over a document serves all of them.

Begin with `matcher.py`: the shared automaton of `automaton.py` gives candidates, `document_fit.py`
decides, with XPath within a budget. `document_tree.py` has a document as lists, `block_rows.py` the
rows of a block, `path_automaton.py` regular paths, `nested_queries.py` the queries inside
templates.

Imports: `engine.columns`, `engine.index`, `errors`, `events`, `plan`.
Test a change with: `tests/engine/xml`: compared with the reference and a plain evaluator.
"""

from tocsin.engine.xml.matcher import BlockMatcher

__all__ = ["BlockMatcher"]
