"""The codecs, from bytes to events: one file per wire format.

Begin with `formats.py`, which detects the format of a file, and `decode.py`, which decodes a text
and finds EPCIS inside other formats. `bindings.py` reads messages of brokers, `bare_documents.py`
data without an envelope, `columns.py` records by column, `reception.py` adds the time of reception.
A malformed event raises EventProblem or LimitProblem.

Imports: `errors`, `events`, `events.codecs.base`, `events.codecs.epcis`, `events.views`, `values`.
Test a change with: `tests/events`, `tests/connectors`.
"""
