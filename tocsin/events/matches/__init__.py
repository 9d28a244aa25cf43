"""The match that a subscriber gets, and the events constructed from matches.

Begin with `match.py`: the same match has the same id on every host and every retry, and members as
ids, as complete events or as RDF. An output becomes an event there, too, with its lineage.

Imports: `errors`, `events`, `events.codecs.base`, `events.views`, `values`.
Test a change with: `tests/events/test_order_and_match.py`, `tests/events/test_content.py`,
`tests/hub/test_constructed.py`.
"""
