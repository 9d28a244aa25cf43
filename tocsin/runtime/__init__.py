"""The parts that all hosts share: admission, watermark, order, isolation of faults.

Begin with `sequencer.py`, the order of a host in nine steps. `admission.py` drops duplicates and
makes dead letters of late events, `watermark.py` has the reorder buffer, `stream_clock.py`
continues the watermark of an idle stream, `clock_skew.py` stops wrong clocks, `guarded.py` and
`containment.py` isolate an event or subscription that raises, `fan_out.py` and `match_limit.py`
bound, `outcome.py` is the result.

Imports: `catalog`, `engine`, `errors`, `events`, `plan`, `values`; never a host.
Test a change with: `tests/runtime`.
"""
