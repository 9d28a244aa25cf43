"""The parts that all hosts share: admission, watermark, order, isolation of faults.

Begin with `sequencer.py`, the order of a host in nine steps. `admission.py` drops duplicates and
makes dead letters of late events and of wrong clocks, `watermark.py` has the reorder buffer and the
clock of a stream, which goes on while it is idle; `guarded.py` and `containment.py` isolate an
event or subscription that raises, `limits.py` bounds matches and constructed events.
`finite_run.py` is the run over finite input, such as files: decode, sort, match in batches,
constructed events again until none is new.

Imports: `catalog`, `engine`, `errors`, `events`, `plan`, `values`; never a host.
Test a change with: `tests/runtime`; for finite input also `tests/scenarios`,
`tests/hub/test_constructed.py`.
"""
