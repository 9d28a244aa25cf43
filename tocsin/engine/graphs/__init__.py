"""The matcher of graph patterns, for many subscriptions at once.

Begin with `matcher.py`, the default strategy: equal shapes are one, few are searched, and many
events are ruled out before they become graphs. `links.py` and `index.py` have the patterns,
`kernel.py` and `solver.py` search, within the budget of `work.py`; `inference.py` adds facts from
the ontology. `tocsin.papers` has the readable strategy.

Imports: `engine.columns`, `engine.index`, `errors`, `events`, `knowledge`, `plan`, `values`.
Test a change with: `tests/engine/graphs`: both strategies are compared with the reference.
"""
