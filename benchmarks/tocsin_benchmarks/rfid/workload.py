"""The workload of the RFID paper, as far as it is legible: taxonomies, concept subscriptions and
events from a seed.

TBox: business steps of depth 4 and fan-out 3, dispositions of depth 2 and fan-out 5; inner concepts
are unions, leaves enumerate three individuals each; five types of events. An event has one type and
six properties, three of each taxonomy, with values uniform over the individuals; they are one
second apart, and a fifth lasts 1 to 60 s. An atomic subscription is a type and the existence of
values in 1 to 3 roles, concepts of uniform level; a fifth has one of them negated or universal. A
composite is two atomic ones: 60 % one of the 14 relations, 20 % `&`, 10 % `|`, 10 % absence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random

from tocsin.knowledge.concepts.tbox import EVENT_TYPES, TBox
from tocsin.knowledge.ontology import Ontology, open_ontology
from tocsin.languages.base.reading import Context
from tocsin.languages.concept import parse, tbox_of_text
from tocsin.plan.nodes.composites import Plan
from tocsin.values.time import format_instant

TYPES = EVENT_TYPES[:5]
ROLES = {
    "bizStep": "step",
    "lastStep": "step",
    "nextStep": "step",
    "disposition": "state",
    "lastDisposition": "state",
    "nextDisposition": "state",
}
SHAPES = {"step": (4, 3), "state": (2, 5)}
"""Depth and fan-out of each taxonomy."""

INDIVIDUALS_OF_A_LEAF = 3
RELATIONS = [
    negation + relation
    for relation in ("Equals", "Before", "Meets", "Overlaps", "Starts", "Finishes", "During")
    for negation in ("", "Un")
]
_SECOND = 1_000_000
_BEGINNING = 1_767_225_600 * _SECOND


@dataclass(frozen=True)
class Taxonomy:
    """Names by level, the root first; a node's children and a leaf's individuals have its name in
    front.
    """

    root: str
    depth: int
    fan_out: int

    @cached_property
    def levels(self) -> list[list[str]]:
        """The names of the concepts."""
        levels = [[self.root]]
        for _ in range(self.depth):
            levels.append(
                [f"{name}-{number}" for name in levels[-1] for number in range(self.fan_out)]
            )
        return levels

    @cached_property
    def individuals(self) -> list[str]:
        """The names that values have."""
        return [
            f"{leaf}-i{number}"
            for leaf in self.levels[-1]
            for number in range(INDIVIDUALS_OF_A_LEAF)
        ]

    def axioms(self) -> Iterator[str]:
        """The taxonomy as lines of a `.tbox` file."""
        for level in self.levels[:-1]:
            for name in level:
                yield (
                    f"{name} :="
                    f" {' or '.join(f'{name}-{number}' for number in range(self.fan_out))};"
                )
        for leaf in self.levels[-1]:
            yield (
                f"{leaf} ="
                f" {{{', '.join(f'{leaf}-i{number}' for number in range(INDIVIDUALS_OF_A_LEAF))}}};"
            )


TAXONOMIES = {root: Taxonomy(root, *shape) for root, shape in SHAPES.items()}


@dataclass(frozen=True)
class RfidWorkload:
    """Subscriptions and events, drawn from the seed."""

    subscriptions: int
    events: int
    seed: int

    @cached_property
    def tbox_text(self) -> str:
        """The TBox as a file."""
        return "\n".join(line for taxonomy in TAXONOMIES.values() for line in taxonomy.axioms())

    @cached_property
    def context(self) -> Context:
        """What surrounds the subscriptions: the ontology with the TBox."""
        return Context(ontology=self.ontology)

    @cached_property
    def ontology(self) -> Ontology:
        """The TBox as an ontology."""
        tbox: TBox = tbox_of_text(self.tbox_text)
        return open_ontology().with_tbox(tbox)

    def atomic_texts(self) -> Iterator[str]:
        """Atomic subscriptions."""
        random = Random(self.seed)
        return (_atomic(random) for _ in range(self.subscriptions))

    def composite_texts(self) -> Iterator[str]:
        """Composite subscriptions of two atomic ones."""
        random = Random(self.seed + 1)
        return (_composite(random) for _ in range(self.subscriptions))

    def plan(self, text: str) -> Plan:
        """A subscription prepared."""
        return parse(text, {}, self.context).require_plan()

    def lines(self) -> list[bytes]:
        """Events as they come in, in the order of their begin."""
        random = Random(self.seed + 2)
        return [_line(random, number) for number in range(self.events)]


def _atomic(random: Random) -> str:
    roles = random.sample(sorted(ROLES), random.randint(1, 3))
    parts = [f"exists {role}.{_concept(random, role)}" for role in roles]
    if random.random() < 0.2:
        changed = random.randrange(len(parts))
        quantified = parts[changed].removeprefix("exists ")
        parts[changed] = random.choice((f"not exists {quantified}", f"forall {quantified}"))
    return " and ".join((random.choice(TYPES), *parts))


def _concept(random: Random, role: str) -> str:
    return random.choice(random.choice(TAXONOMIES[ROLES[role]].levels))


def _composite(random: Random) -> str:
    left, right, draw = _atomic(random), _atomic(random), random.random()
    if draw < 0.6:
        return f"({left}) {random.choice(RELATIONS)} ({right})"
    if draw < 0.9:
        return f"({left}) {'&' if draw < 0.8 else '|'} ({right})"
    return f"not ({left}) (PT1M) Before ({right})"


def _line(random: Random, number: int) -> bytes:
    start = _BEGINNING + number * _SECOND
    end = start + random.randint(1, 60) * _SECOND if random.random() < 0.2 else start
    data = {role: random.choice(TAXONOMIES[root].individuals) for role, root in ROLES.items()}
    return json.dumps(
        {
            "specversion": "1.0",
            "id": f"e{number}",
            "source": "bench",
            "type": random.choice(TYPES),
            "time": format_instant(start),
            "endtime": format_instant(end),
            "data": data,
        }
    ).encode()
