"""The run over finite input, such as files, in order.

Begin with `run.py`: decode, sort, match in batches, return matches in output order.
`republishing.py` matches constructed events again until none is new.

Imports: `engine`, `errors`, `events`, `plan`, `runtime`, `values`.
Test a change with: `tests/runtime/test_finite_faults.py`, `tests/scenarios`,
`tests/hub/test_constructed.py`.
"""
