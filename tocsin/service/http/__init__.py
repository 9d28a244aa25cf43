"""The shared parts of all that answers over HTTP.

Begin with `requests.py`: bounded bodies, and work in threads. `access.py` checks keys and scopes,
`origins.py` the pages that may call a service without keys, `revocation.py` ends streams of a
revoked key, `positions.py` has the start of a stream, `problems.py` the problem documents (RFC
9457).

Imports: `errors`, `events`, `service.core`.
Test a change with: `tests/service/core/test_access.py`, `tests/service/core/test_authority.py`,
`tests/service/core/test_no_fault.py`.
"""
