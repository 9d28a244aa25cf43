"""Two gateways on one PostgreSQL below a server: one has the link, the other takes it over, and
nothing that was published meanwhile is missed or served twice.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.federation.test_chain import (
    CHEAP,
    event,
    expected,
    links,
    matches,
    offers,
    publish,
    put,
    wait_until_asked,
)
from tests.service.serving import Served, served
from tests.waiting import wait_until

pytestmark = pytest.mark.postgres


def _is_linked(server: Served) -> bool:
    return all(link["connected"] for link in links(server))


def test_the_other_gateway_takes_over_the_link(postgres_url: str, tmp_path: Path) -> None:
    with served(tmp_path / "up", federation={"server": "up"}) as upstream:
        own = {"server": "below", "upstream": [{"url": upstream.url}]}
        first = Served(tmp_path / "a", database=postgres_url, federation=own, idle="off")
        try:
            wait_until(lambda: _is_linked(first))
            second = Served(tmp_path / "b", database=postgres_url, federation=own, idle="off")
        except BaseException:
            first.stop()
            raise
        try:
            put(second, cheap=CHEAP)
            wait_until_asked(upstream, 1)
            events = offers(30)
            publish(upstream, *events)
            wait_until(lambda: matches(second, "cheap") == expected(CHEAP, events))
            assert not _is_linked(second)
            first.stop()
            more = [event(number, price=number, kind="phone", shop=1) for number in range(100, 110)]
            publish(upstream, *more)
            wait_until(lambda: _is_linked(second))
            wait_until(lambda: matches(second, "cheap") == expected(CHEAP, events + more))
            found = second.http.get("/v1/matches", params={"subscription": "cheap"}).json()
            assert len(found["matches"]) == len(matches(second, "cheap"))
        finally:
            second.stop()
