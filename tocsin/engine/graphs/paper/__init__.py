"""The paper's own strategy for graph patterns (spec 4.2-4.6), for reading.

Begin with `matcher.py`: home patterns wait at entries, and trees last for one event.
`statements.py` has the statement types and the entries, `trees.py` the matching trees with partial
verification (SBPV) and the final one (BEBV), `printing.py` a tree in words.

Imports: `engine.columns`, `engine.graphs`, `engine.index`, `errors`, `events`, `knowledge`, `plan`,
`values`.
Test a change with: `tests/engine/graphs/test_examples.py`, `tests/engine/graphs/test_agreement.py`.
"""
