"""The experiment of table 1 (spec 6): 500 subscriptions of two blocks each, 500 events of 10 groups
in a random order.

Four groups fit some block, six fit none. Event k is published at 1000 k and received 1 to 1500
later, so that some neighbours overlap. A subscription waits for a document of one group and then
one of another with the same key; how many keys there are is what the paper does not say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Plan
from tocsin.values.time import Interval, format_instant

SUBSCRIPTIONS = 500
EVENTS = 500
GROUPS = 10
FITTING_GROUPS = 4
SHELVES = 25
"""Each document stands on one of so many shelves, and a block asks for one of them."""

SPACING = 1_000
LONGEST = 1_500


@dataclass(frozen=True, slots=True)
class Pair:
    """First a document of one group and shelf, then one of another, with the same key."""

    first: tuple[int, int]
    second: tuple[int, int]

    @property
    def text(self) -> str:
        """The subscription in E-XML-QL."""
        one, other = (
            f"<group{group}><shelf>{shelf}</><key>$k</></>"
            for group, shelf in (self.first, self.second)
        )
        return f"WHERE {one} #A {other} #B #A ; #B CONSTRUCT <both><key>$k</></>"


@dataclass(frozen=True, slots=True)
class Document:
    """One event as the oracle takes it."""

    number: int
    group: int
    shelf: int
    key: int
    start: int
    end: int

    def event(self) -> Event:
        """The document as an event."""
        envelope = {
            "id": f"e{self.number:03d}",
            "source": "paper",
            "type": "document",
            "time": format_instant(self.start),
            "endtime": format_instant(self.end),
            "datacontenttype": "application/xml",
        }
        name = f"group{self.group}"
        xml = f"<{name}><shelf>{self.shelf}</shelf><key>{self.key}</key></{name}>"
        return Event(envelope, xml, Interval(self.start, self.end))


def pairs(seed: int) -> Iterator[Pair]:
    """The subscriptions; each is about two of the groups that fit."""
    random = Random(seed)
    for _ in range(SUBSCRIPTIONS):
        one, other = random.sample(range(FITTING_GROUPS), 2)
        yield Pair((one, random.randrange(SHELVES)), (other, random.randrange(SHELVES)))


def plans(seed: int) -> dict[str, Plan]:
    """The subscriptions compiled from their text."""
    texts = (pair.text for pair in pairs(seed))
    return {
        f"s{number}": compile_subscription(Subscription("s", "exmlql", text, horizon="1h"))
        for number, text in enumerate(texts)
    }


def documents(keys: int, seed: int, order: int, *, backwards: bool = False) -> list[Document]:
    """The documents in one of many orders, in the order in which they are received."""
    random = Random(f"{seed} {keys}")
    drawn = [
        (number % GROUPS, random.randrange(SHELVES), random.randrange(keys))
        for number in range(EVENTS)
    ]
    shuffled = Random(f"{seed} {order}")
    shuffled.shuffle(drawn)
    if backwards:
        drawn.reverse()
    times = [
        (SPACING * number, SPACING * number + shuffled.randint(1, LONGEST))
        for number in range(EVENTS)
    ]
    made = [
        Document(number, *what, *when)
        for number, (what, when) in enumerate(zip(drawn, times, strict=True))
    ]
    return sorted(made, key=lambda each: (each.end, each.start, each.number))


def oracle(asked: Sequence[Pair], received: Sequence[Document]) -> list[int]:
    """When each match is detected, by going through all documents for each subscription: the most
    recent first one.

    A document that starts before the most recent one of its key has ended finds nothing: there is
    no older one for it.
    """
    found = []
    for pair in asked:
        latest: dict[int, Document] = {}
        for each in received:
            if (
                (each.group, each.shelf) == pair.second
                and each.key in latest
                and latest[each.key].end < each.start
            ):
                found.append(each.end)
            if (each.group, each.shelf) == pair.first:
                latest[each.key] = each
    return sorted(found)
