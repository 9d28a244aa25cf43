"""The shared parts of all that answers over HTTP, and the bounds of connections.

Begin with `requests.py`: bounded bodies, work in threads, and the start of a stream. `access.py`
checks keys and scopes, and the pages that may call a service without keys; `problems.py` has the
problem documents (RFC 9457). `protocol.py` is HTTP/1.1 with bounds on head, body and time,
`connections.py` counts and evicts open connections.

Imports: `errors`, `events`, `service.core`, `service.settings`, `values`.
Test a change with: `tests/service/core/test_access.py`, `tests/service/core/test_authority.py`,
`tests/service/core/test_no_fault.py`, `tests/service/core/test_connections.py`,
`tests/service/core/test_connection_table.py`.
"""
