"""Result of one look at a text in its context: plan or problems, and warnings.

A language is one function of (text, options, context) that returns a `Reading`; every later
question about the text is answered from it, so that no text is read twice.

The context has the definitions of the file and the ontology in force; a language never changes it.
Options that a language does not know are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from types import MappingProxyType
from typing import ParamSpec

from tocsin.errors import MeaningProblem, Problem
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part, Plan
from tocsin.plan.nodes.sources import SourceRecorder, Sources
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


Options = Mapping[str, object]
Given = ParamSpec("Given")


@dataclass(frozen=True)
class Reading:
    """Plan of a text (None if it has problems) and every problem, the first one first.

    `syntax` is the syntax tree of the text, for callers that look up where something is written.
    `warn` looks for warnings in the tree; it is called on first access to `warnings`. `recorder`
    has the texts of the parts of the plan.
    """

    plan: Plan | None = None
    problems: tuple[Problem, ...] = ()
    syntax: object = None
    warn: Callable[[], Iterable[Problem]] = tuple
    recorder: SourceRecorder = field(default_factory=SourceRecorder, repr=False, compare=False)

    @cached_property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings of a text without problems: legal, but probably not meant."""
        return () if self.plan is None else tuple(self.warn())

    @cached_property
    def sources(self) -> Sources:
        """The text of every part of the plan: a piece of the given text, or one that says the same.

        Parts of definitions have the texts of these.
        """
        return self.recorder.find()

    def require_plan(self) -> Plan:
        """Return the plan, or raise the first problem."""
        if self.plan is None:
            raise self.problems[0]
        return self.plan


Parse = Callable[[str, Options, Context], Reading]
"""Signature of a language."""


def capture_problems(parse: Callable[Given, Reading]) -> Callable[Given, Reading]:
    """Return the function with a problem that it raises turned into a `Reading` of it alone."""

    @wraps(parse)
    def read(*given: Given.args, **named: Given.kwargs) -> Reading:
        try:
            return parse(*given, **named)
        except Problem as problem:
            return Reading(problems=(problem,))

    return read


def whole_text(plan: Plan, text: str) -> SourceRecorder:
    """Return the source texts of a plan of one part, which the whole text means."""
    recorder = SourceRecorder()
    recorder.add(plan.pattern, text.strip())
    return recorder


NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


def option_problem(message: str, token: object, hint: str) -> MeaningProblem:
    """Return the problem of an option that is unknown or has an invalid value."""
    return MeaningProblem(message, code="OptionError", token=str(token), hint=hint)


def refuse_unknown(given: Iterable[str], language: str, known: Iterable[str] = ()) -> None:
    """Raise at the first name of an option that the language does not take."""
    names = tuple(known)
    for name in given:
        if name not in names:
            takes = f"takes: {', '.join(names)}" if names else "takes no options"
            raise option_problem(f"the option {name!r} is not known", name, f"{language} {takes}")
