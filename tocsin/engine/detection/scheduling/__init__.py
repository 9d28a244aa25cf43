"""The steps of time through the shared network: which operator runs next, and when.

Begin with `network.py`, the front of all composite subscriptions; the caller passes the time.
`steps.py` leads an event or an instant through the graph, `timers.py` wakes operators,
`snapshot.py` writes the state as data and reads it, `step_failures.py` reports failures to the
subscriptions concerned.

Imports: `engine.detection`, `engine.detection.batch`, `errors`, `events`, `plan`, `values`.
Test a change with: `tests/engine/detection`, above all `tests/engine/detection/test_work.py`.
"""
