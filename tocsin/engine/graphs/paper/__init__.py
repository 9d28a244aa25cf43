"""The paper's own strategy for graph patterns (spec 4.2-4.6), for reading.

Begin with `matcher.py`: home patterns wait at entries, and trees last for one event. `entries.py`
has the statement types with their waiting lists, `building.py` the matching trees with partial
verification (SBPV), `verifying.py` the final one (BEBV), `printing.py` a tree in words.

Imports: `engine.columns`, `engine.graphs`, `engine.index`, `errors`, `events`, `knowledge`, `plan`,
`values`.
Test a change with: `tests/engine/graphs/test_examples.py`, `tests/engine/graphs/test_agreement.py`.
"""
