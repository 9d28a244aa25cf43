"""The nodes of a plan as data: frozen, hashable, checked when built.

Begin with `composites.py` (several events, or the absence of one) and `atoms.py` (one event).
`graphs.py` and `concepts.py` have the atoms of their families, `expressions.py` computed values,
aggregates and selected values; `rewriting.py` rebuilds a part, `sources.py` has the texts that
parts come from.

Imports: `errors`, `knowledge`, `lazy_import`, `plan`, `plan.explain`, `plan.xml`,
`values`; never `plan.semantics`, which stands on the nodes; `plan.explain` only on demand, for
display.
Test a change with: `tests/plan`, `tests/stored`.
"""
