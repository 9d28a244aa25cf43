"""Calls to servers of others.

Begin with `http_sender.py`: HTTP to untrusted receivers, every address checked. `addresses.py` says
which are allowed, `lookup.py` resolves names, `backoff.py` has the pauses between attempts,
`send_slots.py` the number at a time, `webhook_url.py` the valid URLs.

Imports: `errors`.
Test a change with: `tests/service/delivery/test_http.py`,
`tests/service/delivery/test_addresses.py`, `tests/service/delivery/test_backoff.py`.
"""
