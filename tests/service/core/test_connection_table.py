"""The table of connections by itself: names of clients, room, and what is given back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.service.http.connections import ClientNames, ConnectionTable
from tocsin.service.settings.settings import HttpSettings


class Wire:
    """A transport that only knows that it was ended."""

    def __init__(self) -> None:
        self.is_ended = False

    def is_closing(self) -> bool:
        return self.is_ended

    def abort(self) -> None:
        self.is_ended = True


class Silent:
    """A connection that is never too slow."""

    def check(self, now: float) -> None:
        pass


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("10.1.2.3", None),
        ("::ffff:10.1.2.3", None),
        ("2001:db8:0:1::7", None),
        ("", ""),
    ],
)
def test_an_address_is_the_name_of_a_client(host: str, name: str | None) -> None:
    assert ClientNames(["10.0.0.0/8", "2001:db8:0:1::/64"]).name_of(host) == name


steps = st.lists(
    st.tuples(
        st.sampled_from(["open", "open", "busy", "idle", "close", "upgrade", "lose"]),
        st.integers(0, 3),
        st.integers(0, 50),
    ),
    max_size=80,
)


@given(steps)
def test_no_client_has_more_than_its_share_and_nobody_at_work_is_cut(
    taken: list[tuple[str, int, int]],
) -> None:
    """Compared with a plain account of the same: lists, counted anew each time."""
    alive: set[object] = set()
    table = ConnectionTable(
        HttpSettings(connections=6, per_address=3, proxies=["10.0.0.0/8"]), alive
    )
    hosts = ["192.0.2.1", "192.0.2.2", "10.0.0.1", "10.0.0.2"]
    known: dict[Any, str] = {}
    busy: set[Any] = set()
    for step, host, number in taken:
        wire: Any = list(known)[number % len(known)] if known else None
        if step == "open":
            wire = Wire()
            of_host = [each for each in known if known[each] == hosts[host]]
            is_proxy = hosts[host].startswith("10.")
            full = len(known) >= 6 and busy >= set(known)
            full |= not is_proxy and len(of_host) >= 3 and busy >= set(of_host)
            refused = table.admit(wire, hosts[host], Silent())
            assert (refused is not None) == full
            if refused is None:
                known[wire] = hosts[host]
            for each in [each for each in known if each.is_ended]:
                assert each not in busy
                del known[each]
        elif wire is not None and step == "busy":
            table.mark_busy(wire)
            busy.add(wire)
        elif wire is not None and step == "idle" and wire not in alive:
            table.mark_idle(wire)
            busy.discard(wire)
        elif wire is not None and step == "upgrade":
            alive.add(wire)
            table.hand_over(wire, wire)
            busy.add(wire)
        elif wire is not None and step in ("close", "lose"):
            if wire in alive:
                alive.discard(wire)
            else:
                table.release(wire)
            busy.discard(wire)
            del known[wire]
    table.sweep()
    assert len(table) == len(known)
    for wire in list(known):
        alive.discard(wire)
        table.release(wire)
    assert len(table) == 0
    assert not table._clients
    assert not table._idle
