"""The matching engine, a pure state machine: no clock, no I/O, no threads, no Spark.

Begin with `engine.py`: plans are added, atoms are matched batch by batch, composites event by
event; one event is a batch of one. `atoms.py` gives each atom to the matcher of its family,
`results.py` has the results as values. Each family of atoms has a folder and imports no other
family.
Imports: `engine.columns`, `engine.concepts`, `engine.conditions`, `engine.detection`,
`engine.graphs`, `engine.index`, `engine.xml`, `errors`, `events`, `lazy_import`, `plan`, `values`;
never `reference` or `languages`.
Test a change with: `tests/engine`, `tests/scenarios`, `tests/runtime/test_faults.py`.
"""
