"""A client of the service over HTTP: `Client`, and `AsyncClient` for asyncio.

An error is a `Problem`, with the code, the position and the hint from the service.
"""

from __future__ import annotations

from tocsin.client.async_client import AsyncClient
from tocsin.client.calls import MatchPage, Published, Rejected
from tocsin.client.client import Client

__all__ = ["AsyncClient", "Client", "MatchPage", "Published", "Rejected"]
