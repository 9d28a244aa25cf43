"""Translation of a constructing subscription to the plain XML-QL that builds its documents (paper
4.3, figure 9).

Each label becomes `IN "P.xml"`, the document of the selected event; the time clause and CONTEXT,
which selected it, are left out. If alternatives select different events, there is one query for
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import assert_never

from tocsin.errors import MeaningProblem
from tocsin.languages.base.reading import Reading
from tocsin.languages.base.texts import SourceSpan
from tocsin.languages.exmlql.syntax import (
    BlockUse,
    ExmlqlSubscription,
    Operation,
    PartGroup,
    TimePart,
    WindowedPart,
)
from tocsin.plan.explain.exmlql import Spaces, condition_text, construct_text
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Named, Part, Plan, parts_of
from tocsin.plan.xml.construction import Construct, queries_in
from tocsin.plan.xml.xml_patterns import (
    InDocument,
    InEvent,
    Pattern,
    PatternElement,
    SourcedPattern,
    XmlBlock,
)

MAX_ALTERNATIVES = 64
"""Alternatives written out at most."""

_ONLY = "event.xml"


def xml_ql_of(language: str, reading: Reading) -> list[str]:
    """Return the XML-QL queries that build the output of an E-XML-QL subscription.

    The list is empty if it constructs nothing; raises for another language.
    """
    if not isinstance(reading.syntax, ExmlqlSubscription):
        raise MeaningProblem(
            f"a subscription in {language} has no XML-QL form",
            code="LanguageError",
            token=language,
            hint="XML-QL is the form of what exmlql subscriptions construct; choose one with --id",
        )
    return _queries(reading.syntax, reading.require_plan())


def _queries(subscription: ExmlqlSubscription, plan: Plan) -> list[str]:
    if not isinstance(plan.output, Construct):
        return []
    blocks = _blocks(plan.pattern)
    given = list(
        dict.fromkeys(item.label.text if item.label else "" for item in subscription.blocks)
    )
    chosen = (
        islice(_alternatives(subscription.time), MAX_ALTERNATIVES)
        if subscription.time
        else iter([frozenset(given)])
    )
    spaces = _spaces(subscription, plan.output, blocks)
    wanted = dict.fromkeys(tuple(label for label in given if label in labels) for labels in chosen)
    return [
        _query([(label, blocks[label]) for label in labels], plan.output, spaces)
        for labels in wanted
    ]


def _query(blocks: Sequence[tuple[str, XmlBlock]], output: Construct, spaces: Spaces) -> str:
    items: list[str] = []
    for label, block in blocks:
        items += [spaces.pattern(_in_file(pattern, label)) for pattern in block.patterns]
    conditions = [*(each for _, block in blocks for each in block.conditions), *output.conditions]
    items += map(condition_text, dict.fromkeys(conditions))
    where = "\n      ".join(dict.fromkeys(items))
    return "\n".join((*spaces.prolog(), f"WHERE {where}", construct_text(output, spaces)))


def _in_file(pattern: Pattern, label: str) -> Pattern:
    """Return the pattern in the document of its event; XPATH, unknown to XML-QL, stays as it is."""
    if isinstance(pattern, PatternElement):
        return SourcedPattern(pattern, InDocument(f"{label[1:]}.xml" if label else _ONLY, ""))
    return pattern


def _spaces(
    subscription: ExmlqlSubscription, output: Construct, blocks: Mapping[str, XmlBlock]
) -> Spaces:
    queries = [query for template in output.templates for query in queries_in(template)]
    patterns = [each for block in blocks.values() for each in block.patterns]
    patterns += [each for query in queries for each in query.patterns]
    given = {line.uri: line.prefix.text for line in subscription.namespaces}
    return Spaces(patterns, given, bare=True, event_text=_event_text)


def _event_text(event: InEvent) -> str:
    return f' IN "{event.name[1:]}.xml"' if event.name else f' IN "{_ONLY}"'


def _blocks(pattern: Part) -> dict[str, XmlBlock]:
    """Return the blocks by label; the block of a subscription to one event has every label."""
    if isinstance(pattern, XmlBlock):
        return _Every(pattern)
    found: dict[str, XmlBlock] = {}
    if isinstance(pattern, Named) and isinstance(pattern.part, XmlBlock):
        found[pattern.name] = pattern.part
    for part in () if isinstance(pattern, Atom) else parts_of(pattern):
        found |= _blocks(part)
    return found


class _Every(dict[str, XmlBlock]):
    """One block under every label."""

    def __init__(self, block: XmlBlock) -> None:
        super().__init__({"": block})

    def __missing__(self, _: str) -> XmlBlock:
        return self[""]


def _alternatives(part: TimePart) -> Iterator[frozenset[str]]:
    """Yield the blocks whose events an occurrence has, for each alternative."""
    match part:
        case BlockUse(spot):
            yield frozenset((spot.text,))
        case PartGroup(inner):
            yield from _alternatives(inner)
        case Operation(operator, left, right) if operator.text == "|":
            yield from _alternatives(left)
            yield from _alternatives(right)
        case Operation(_, left, right):
            yield from _together(left, right)
        case WindowedPart(first, last, middle, absent):
            bounds = [first] if isinstance(last, SourceSpan) else [first, last]
            yield from _together(*bounds, *([] if absent else [middle]))
        case _:
            assert_never(part)


def _together(*parts: TimePart) -> Iterator[frozenset[str]]:
    choices = [list(islice(_alternatives(part), MAX_ALTERNATIVES)) for part in parts]
    return (frozenset[str]().union(*chosen) for chosen in product(*choices))
