"""Calls to servers of others.

Begin with `http_sender.py`: HTTP to untrusted receivers, every address checked. `addresses.py` says
which URLs are valid and which addresses allowed, `pace.py` has the pauses between attempts and the
number at a time.

Imports: `errors`.
Test a change with: `tests/service/delivery/test_http.py`,
`tests/service/delivery/test_addresses.py`, `tests/service/delivery/test_backoff.py`.
"""
