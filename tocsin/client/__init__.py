"""The client of the service over HTTP: `Client`, and `AsyncClient` for asyncio.

Begin with `client.py`; `async_client.py` has the same methods, awaited. `calls.py` describes each
request once for both, `http.py` parses or retries, `streams.py` iterates over matches, for both. An
error is a `Problem`, with the code, the position and the hint from the service.

Imports: `errors`, `events`; never the service itself.
Test a change with: `tests/client`.
"""

from __future__ import annotations

from tocsin.client.async_client import AsyncClient
from tocsin.client.calls import MatchPage, Published, Rejected
from tocsin.client.client import Client

__all__ = ["AsyncClient", "Client", "MatchPage", "Published", "Rejected"]
