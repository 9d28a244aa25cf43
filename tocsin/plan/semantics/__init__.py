"""The meaning of plan nodes: evaluation, occurrences, partitions, bounds.

Begin with `occurrence.py`, then `condition_evaluation.py` and `predicate_truth.py`, with which
every index agrees. `match_rendering.py` makes the match, `partitioning.py` finds the key of a
composite, `bounds.py` the lifetime of its state and windows that are over, `extent.py` limits it.
`computed_conditions.py` and `cesql.py` compute, `implication.py` compares the values that
conditions allow, `construction_loops.py` finds subscriptions that may trigger themselves.

Imports: `errors`, `events`, `knowledge`, `plan`, `plan.nodes`, `plan.xml`, `values`.
Test a change with: `tests/plan`, `tests/engine/detection/test_partitioning.py`, `tests/reference`.
"""
