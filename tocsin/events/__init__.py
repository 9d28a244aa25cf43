"""The event, the one model for all languages, and its dead letters.

Begin with `event.py`: identity, interval, place and data, and the canonical order, so that results
never depend on arrival. `dead_letter.py` has the input that could not be served, with the reason,
and warnings about events served all the same. Folders: `codecs` (bytes to events), `views`,
`matches`.

Imports: `errors`, `events.views`, `lazy_import`, `values`; never `knowledge` or `plan`.
Test a change with: `tests/events`.
"""
