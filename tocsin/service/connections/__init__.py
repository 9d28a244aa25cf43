"""The bounds of connections: the resources that a client may take.

Begin with `protocol.py`: HTTP/1.1 with bounds on head, body and time. `table.py` counts and evicts
open connections, `addresses.py` says which client one is counted for, `refusals.py` answers before
the application is called.

Imports: `errors`, `service.http`, `service.settings`.
Test a change with: `tests/service/core/test_connections.py`,
`tests/service/core/test_connection_table.py`.
"""
