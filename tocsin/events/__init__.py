"""The event, the one model for all languages, and its dead letters.

Begin with `event.py`: identity, interval, place and data. `order.py` has the canonical order, so
that results never depend on arrival; `dead_letter.py` the input that could not be served, with the
reason; `warning.py` events served all the same; `scanned.py` events decoded on demand. Folders:
`codecs` (bytes to events), `views`, `matches`.

Imports: `errors`, `events.views`, `lazy_import`, `values`; never `knowledge` or `plan`.
Test a change with: `tests/events`.
"""
