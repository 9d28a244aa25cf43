"""Offers of a marketplace with servers that are each interested in some kinds of goods.

A server draws its subscriptions from the kinds of its interest: the smaller the interest, the less
the servers have in common. One in ten combines two events; every server also waits for the last
event, which moves its time on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tocsin.catalog import Subscription

KINDS = 40
SHOPS = 50
PRICES = 1000
LAST = "last"
_COMPOSITE = 10


@dataclass(frozen=True, slots=True)
class FederationWorkload:
    """So many subscriptions at each server, so many events, and which share of the kinds interests
    a server.
    """

    subscriptions: int
    events: int
    interest: float
    seed: int

    def subscriptions_at(self, server: int) -> list[Subscription]:
        """The subscriptions of a server, by its number."""
        random = Random(f"{self.seed} {server}")
        wanted = max(1, round(KINDS * self.interest))
        kinds = random.sample(range(KINDS), wanted)
        drawn = [self._drawn(random, kinds, number) for number in range(self.subscriptions - 1)]
        return [*drawn, Subscription(LAST, "selector", f"kind = '{LAST}'")]

    def _drawn(self, random: Random, kinds: list[int], number: int) -> Subscription:
        first, second = random.choice(kinds), random.choice(kinds)
        price = random.randrange(20, PRICES // 4)
        cheap = f"kind = 'k{first}' AND price < {price}"
        if number % _COMPOSITE:
            size = f" AND size > {random.randrange(9)}" if random.random() < 0.5 else ""
            return Subscription(f"s{number}", "selector", cheap + size)
        pair = (
            f"=|($a;;2m)$b; WHERE $a;.shop = $b;.shop, $a; = selector{{{cheap}}},"
            f" $b; = selector{{kind = 'k{second}' AND price < {price}}}"
        )
        return Subscription(f"s{number}", "opsl", pair)

    def published(self) -> Iterator[dict[str, Any]]:
        """The events in the order of their times, the last one an hour later."""
        random = Random(self.seed)
        for number in range(self.events):
            data = {
                "kind": f"k{random.randrange(KINDS)}",
                "price": random.randrange(PRICES),
                "size": random.randrange(10),
                "shop": random.randrange(SHOPS),
            }
            yield _event(f"e{number}", number // 10, data)
        yield _event(LAST, self.events // 10 + 3600, {"kind": LAST})


def _event(id: str, second: int, data: dict[str, Any]) -> dict[str, Any]:
    hours, rest = divmod(second, 3600)
    time = f"2026-01-01T{hours:02}:{rest // 60:02}:{rest % 60:02}Z"
    return {"id": id, "source": "market", "type": "offer", "time": time, "data": data}
