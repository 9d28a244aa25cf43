"""Context that a subscription is compiled in: definitions of its file and the ontology in force. A
language never changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tocsin.errors import MeaningProblem, Problem
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part
from tocsin.plan.semantics.extent import DEFAULT_HORIZON, MAX_PARTS, too_many_parts
from tocsin.values.time import Duration


@dataclass(frozen=True, slots=True)
class RegionDefinition:
    """A name for a region: WKT or a GeoJSON object as given, not yet checked."""

    name: str
    region: object


@dataclass(frozen=True, slots=True)
class PartDefinition:
    """A name for a part: a text of some language, not yet checked."""

    name: str
    language: str
    expression: str


@dataclass(frozen=True, slots=True)
class DocumentDefinition:
    """A name for an XML document: its text as given, not yet checked."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class MasterDataDefinition:
    """A name for EPCIS master data: a JSON object or an XML text as given, not yet checked."""

    name: str
    data: object


Definition = RegionDefinition | PartDefinition | MasterDataDefinition | DocumentDefinition


def no_atom(language: str, _: str) -> Atom:
    """Refuse an atom of another language: atoms in braces do not nest."""
    raise MeaningProblem(
        f"an atom in braces holds no other atom in braces, got {language}",
        code="NestedAtomError",
        token=language,
        hint="write the inner atom beside the outer one and join the two",
    )


def no_part(definition: PartDefinition, _: int = 0, __: tuple[str, ...] = ()) -> Part:
    """Refuse a part of another language: an atom in braces uses no other part."""
    raise MeaningProblem(
        f"an atom in braces uses no other part, got {definition.name}",
        code="NestedAtomError",
        token=definition.name,
        hint="write the inner part beside the outer one and join the two",
    )


def no_warnings(_: str, __: str) -> list[Problem]:
    """Return no warnings: used where nothing is known of atoms of other languages."""
    return []


@dataclass(frozen=True, slots=True)
class SubscriptionSettings:
    """Settings of a subscription outside its text: policy and horizon.

    A horizon of None is switched off. `says_horizon` is True if it is written and not the default.
    """

    policy: str | None = None
    horizon: Duration | None = DEFAULT_HORIZON
    says_horizon: bool = False


_READING = 8
"""Cost of reading one definition, in parts."""


class Uses:
    """Counter of the parts that definitions add to one text; each use of a definition counts."""

    def __init__(self) -> None:
        self._left = MAX_PARTS

    def read(self) -> None:
        """Count the reading of one definition; raise LimitProblem beyond the limit."""
        self.bring(_READING)

    def bring(self, parts: int) -> None:
        """Count parts that a definition adds; raise LimitProblem beyond the limit."""
        self._left -= parts
        if self._left < 0:
            raise too_many_parts()


@dataclass(frozen=True, slots=True)
class Context:
    """Definitions by name, the ontology or its problem, and the readers of other languages.

    `parse_atom` takes the name of a language and a text; it raises if there is no such language or
    the text is about more than one event. `warn_of_atom` takes the same and returns warnings for
    the text. `parse_part` takes a definition, which may be about several events, the levels of the
    text that uses it, and names of definitions whose reading led there. `reading` are the names of
    the definitions being read now, outermost first, `level` is their nesting depth together, `uses`
    counts the parts that they add. A language takes from the context only what it needs.
    """

    definitions: Mapping[str, Definition] = field(default_factory=dict)
    ontology: object | None = None
    parse_atom: Callable[[str, str], Atom] = no_atom
    warn_of_atom: Callable[[str, str], list[Problem]] = no_warnings
    parse_part: Callable[[PartDefinition, int, tuple[str, ...]], Part] = no_part
    reading: tuple[str, ...] = ()
    level: int = 0
    uses: Uses | None = None
    settings: SubscriptionSettings = SubscriptionSettings()


EMPTY_CONTEXT = Context()
