"""The fast reader of many JSON texts at once, as columns.

Begin with `batch_reader.py`. The loop of `scanner.py` writes all texts to one tape, `envelopes.py`
finds the CloudEvents in it, `numbers.py` reads numbers and times exactly or not at all,
`scanned_events.py` creates an event on first access, and has columns of values. An unusual text is
left to the strict reader, `events.codecs.base.cloudevents`.

Imports: `engine.index`, `events`, `values`.
Test a change with: `tests/engine/test_texts.py`, `tests/engine/test_scanned_events.py`.
"""
