"""The detection of composites: one graph of operators for all subscriptions.

Begin with `base.py`, the base of every operator; `operator_selection.py` chooses one for a plan
node. One file per kind, such as `join.py`, `sequence.py`, `absence.py`, `count_in_window.py`,
`sliding.py`. State is in `queue.py`, `buffer.py`, `shared_buffer.py`. `sharing.py` makes equal
parts one, `occurrence_codec.py` writes occurrences for snapshots.

Imports: `engine.index`, `engine.json_scan`, `errors`, `events`, `plan`, `values`.
Test a change with: `tests/engine/detection`: engine and reference are compared.
"""
