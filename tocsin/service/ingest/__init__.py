"""The way from the body of a request to rows of the log.

Begin with `http.py`: one CloudEvents JSON text for each event, or the reason for its refusal.
`json_batch.py` cuts a JSON array into events; a broken one does not affect the others.

Imports: `engine`, `errors`, `events`, `runtime`, `service.base`, `service.storage`.
Test a change with: `tests/service/core/test_events.py`, `tests/service/core/test_reception.py`,
`tests/service/core/test_many_events.py`.
"""
