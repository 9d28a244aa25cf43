"""The explanation of a missing match.

Begin with `answer.py`: the conditions of a subscription for an event, the first that fails and by
how much, and partial matches with the event. `atoms.py` and `predicates.py` evaluate atoms one by
one, without the indexes; `replaying.py` replays stored events for composites, `misses.py` finds the
closest candidate, `step.py` is one line.

Imports: `engine`, `errors`, `events`, `knowledge`, `plan`, `reference`, `runtime`,
`service.console`, `values`.
Test a change with: `tests/service/console/test_why_not.py`.
"""
