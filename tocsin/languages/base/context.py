"""What surrounds a subscription: the definitions of its file and the ontology in force. Never
changed by a language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tocsin.errors import MeaningProblem, Problem
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part
from tocsin.plan.passes.set_policy import DEFAULT_HORIZON
from tocsin.plan.semantics.extent import MAX_PARTS, too_many_parts
from tocsin.values.time import Duration


@dataclass(frozen=True, slots=True)
class RegionDefinition:
    """A name for a region, which is WKT or a GeoJSON object as it was given; not yet checked."""

    name: str
    region: object


@dataclass(frozen=True, slots=True)
class PartDefinition:
    """A name for a part: a text of some language; not yet checked."""

    name: str
    language: str
    expression: str


@dataclass(frozen=True, slots=True)
class DocumentDefinition:
    """A name for an XML document, which is its text as it was given; not yet checked."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class MasterDataDefinition:
    """A name for master data of EPCIS, which is a JSON object or an XML text as it was given; not
    yet checked.
    """

    name: str
    data: object


Definition = RegionDefinition | PartDefinition | MasterDataDefinition | DocumentDefinition


def no_atom(language: str, _: str) -> Atom:
    """The answer where atoms of other languages have no place: inside such an atom."""
    raise MeaningProblem(
        f"an atom in braces holds no other atom in braces, got {language}",
        code="NestedAtomError",
        token=language,
        hint="write the inner atom beside the outer one and join the two",
    )


def no_part(definition: PartDefinition, _: int = 0, __: tuple[str, ...] = ()) -> Part:
    """The answer where parts of other languages have no place: inside an atom in braces."""
    raise MeaningProblem(
        f"an atom in braces uses no other part, got {definition.name}",
        code="NestedAtomError",
        token=definition.name,
        hint="write the inner part beside the outer one and join the two",
    )


def no_warnings(_: str, __: str) -> list[Problem]:
    """The answer where nothing is known of atoms of other languages."""
    return []


@dataclass(frozen=True, slots=True)
class Beside:
    """What a subscription sets beside its text: policy and horizon, which is None where it is off.

    `says_horizon` tells one that is written from the default.
    """

    policy: str | None = None
    horizon: Duration | None = DEFAULT_HORIZON
    says_horizon: bool = False


_READING = 8
"""Reading a definition takes as long as making so many parts."""


class Uses:
    """The number of parts that definitions bring into one text, each counted at every use."""

    def __init__(self) -> None:
        self._left = MAX_PARTS

    def read(self) -> None:
        """Count the reading of one more definition; raise LimitProblem where it is too much."""
        self.bring(_READING)

    def bring(self, parts: int) -> None:
        """Count parts that a definition brings; raise LimitProblem where there are too many."""
        self._left -= parts
        if self._left < 0:
            raise too_many_parts()


@dataclass(frozen=True, slots=True)
class Context:
    """Definitions by name, the ontology where one is given (its problem where it has one), and how
    to read an atom of another language.

    `parse_atom` takes the language's name and a text; it raises where there is no such language, or
    where the text is about more than one event. `warn_of_atom` takes the same and tells what the
    text says that is probably not meant. `parse_part` takes a definition, which may be about
    several events, the levels of the text that uses it, and names of definitions whose reading led
    there. `reading` are the names of the definitions whose reading led here, `level` is how deep
    they nest together, `uses` counts the parts that they bring. A language takes from the context
    what it needs.
    """

    definitions: Mapping[str, Definition] = field(default_factory=dict)
    ontology: object | None = None
    parse_atom: Callable[[str, str], Atom] = no_atom
    warn_of_atom: Callable[[str, str], list[Problem]] = no_warnings
    parse_part: Callable[[PartDefinition, int, tuple[str, ...]], Part] = no_part
    reading: tuple[str, ...] = ()
    level: int = 0
    uses: Uses | None = None
    beside: Beside = Beside()


NOTHING_AROUND = Context()
