"""Plans as JSON text, for catalogs and messages.

Begin with `wire.py`: JSON with a version, read back as the same plan; unknown nodes fail.
Plans that differ only in constants share one reader.

Imports: `errors`, `knowledge`, `plan.nodes`, `plan.semantics`, `plan.xml`, `values`.
Test a change with: `tests/plan/test_wire.py`, `tests/plan/test_shapes.py`, `tests/stored`.
"""
