"""The matcher of concept tests: conditions on the meaning of one event.

Begin with `matcher.py`. `index.py` finds candidates by clauses, the disjunctive form of a concept,
in groups that require the same symbol; `clause_literals.py` has them, and finds the parts that an
event has; `facts.py` evaluates. The tableau of `knowledge.concepts` decides the rest.

Imports: `engine.columns`, `engine.index`, `errors`, `events`, `knowledge`, `plan`, `values`.
Test a change with: `tests/engine/concepts`: the index is compared with the reference.
"""
