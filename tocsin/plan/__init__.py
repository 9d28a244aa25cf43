"""The plan: the only interface between the languages and the engine.

Small frozen nodes, equal by value. Begin with the folder `nodes`; `semantics` has their meaning,
`passes` rewrites, `wire` writes them as JSON, `xml` has blocks and templates, `explain` has words
for all. Here are `bindings.py`, the rows of an occurrence, and `cached_hash.py`.

Imports: nothing of Tocsin; its folders use only `errors`, `events`, `knowledge`, `lazy_import` and
`values`.
Test a change with: `tests/plan`.
"""
