"""Ontologies: the meaning of classes, properties and statements.

Begin with `ontology.py`. `loading.py` reads and merges texts, `facts.py` and `axioms.py` find what
they say, `hierarchy.py` orders names, `rules.py` infers, `meta_statements.py` reads and lists the
legal statements, `usage.py` and `warnings.py` report. Everything is immutable; a new version is a
new object.

Imports: `errors`, `values`; never `events` or `plan`.
Test a change with: `tests/knowledge`, `tests/engine/graphs/test_inference.py`.
"""
