"""Explanation of an XML block that does not fit: the element, attribute, text or condition that
fails.

Among all possible starts of a pattern, the one with the most fitting elements counts; there, the
first element that does not fit is reported with what the document has in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tocsin.events.event import Event, document_to_match
from tocsin.events.views.canonical import own_text
from tocsin.events.views.document import Element, parse_xml
from tocsin.explain.namespaces import attribute_elsewhere, element_elsewhere, xpath_elsewhere
from tocsin.plan.explain.exmlql import Spaces, condition_text
from tocsin.plan.xml.paths import PathStep, steps_of
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded
from tocsin.plan.xml.row_terms import condition_variables
from tocsin.plan.xml.xml_patterns import (
    InDocument,
    InVariable,
    Pattern,
    PatternElement,
    SourcedPattern,
    XmlBlock,
    XPathPattern,
    elements_of,
    pattern_variables,
)
from tocsin.reference.blocks import (
    Node,
    attributes_for,
    find_mappings,
    first_images,
    fits,
    images_below,
    mappings,
    rows,
)
from tocsin.reference.row_values import truth_in
from tocsin.values.truth import Truth

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class _Miss:
    """The number of pattern elements that fit, and the fault of the next."""

    fitting: int
    reason: str


def miss_of(block: XmlBlock, event: Event) -> str:
    """Return the reason why the block does not fit the event's document, in words."""
    root = document_to_match(event)
    if root is None:
        return "it has no XML document that can be read"
    names = _ElementNames(block)
    for pattern in block.patterns:
        reason = names.miss(pattern, event, root)
        if reason:
            return reason
    try:
        return _miss_of_rows(block, event)
    except WorkLimitExceeded as given_up:
        return f"undecided: {given_up.reason}"


def _miss_of_rows(block: XmlBlock, event: Event) -> str:
    """Return why patterns that fit alone fail together: variables disagree, or no row qualifies."""
    for count in range(1, len(block.patterns) + 1):
        if not rows(XmlBlock(block.patterns[:count]), event):
            return _disagreement(block, event, count)
    found = rows(XmlBlock(block.patterns), event)
    for condition in block.conditions:
        if not any(truth_in(condition, dict(row)) is Truth.TRUE for row in found):
            values = {
                name: dict(found[0]).get(name)
                for name in dict.fromkeys(condition_variables(condition))
            }
            unknown = truth_in(condition, dict(found[0])) is Truth.UNKNOWN
            is_met = "is unknown" if unknown else "is not met"
            seen = ", ".join(f"{name} is {_shown(value)}" for name, value in values.items())
            others = f", nor in {len(found) - 1} other rows" if len(found) > 1 else ""
            return f"{condition_text(condition)} {is_met}{f': {seen}' if seen else ''}{others}"
    return "no row meets all of its conditions together"


def _disagreement(block: XmlBlock, event: Event, count: int) -> str:
    """Return why pattern number `count` cannot agree with those before it, or with itself."""
    last = block.patterns[count - 1]
    text = Spaces(block.patterns).pattern(last)
    variables = list(dict.fromkeys(pattern_variables(last)))
    before = rows(XmlBlock(block.patterns[: count - 1]), event) if count > 1 else ()
    if not before:
        return (
            f"{text} fits, but never with equal values where a variable stands twice:"
            f" {', '.join(variables)}"
        )
    bound = dict(before[0])
    if isinstance(last, SourcedPattern) and isinstance(last.source, InVariable):
        variables.insert(0, last.source.variable)
    seen = ", ".join(f"{name} is {_shown(bound[name])}" for name in variables if name in bound)
    return f"nothing fits {text} with what is bound before: {seen}"


class _ElementNames:
    """Names of elements as the subscription writes them, and their positions in the document."""

    def __init__(self, block: XmlBlock) -> None:
        self._spaces = Spaces(block.patterns)

    def miss(self, pattern: Pattern, event: Event, root: Element) -> str:
        """Return why a pattern fits nowhere; "" if it fits, or if that depends on the rows."""
        match pattern:
            case XPathPattern(expression):
                if rows(XmlBlock((pattern,)), event):
                    return ""
                elsewhere = xpath_elsewhere(
                    expression, dict(pattern.namespaces).values(), root.iter()
                )
                return _because(
                    f"XPATH {_shown(expression)} selects nothing, or is false", elsewhere
                )
            case SourcedPattern(inner, InDocument(name, text)):
                reason = self._pattern(inner, (parse_xml(text),))
                return f"in the document {name!r}: {reason}" if reason else ""
            case SourcedPattern():
                return ""
            case _:
                return self._pattern(pattern, (root,))

    def _pattern(self, pattern: PatternElement, outermost: Sequence[Element]) -> str:
        if any(True for _ in find_mappings(pattern, outermost)):
            return ""
        positions = {
            each: number for number, each in enumerate(e for root in outermost for e in root.iter())
        }
        images = [
            each for each in first_images(pattern, positions, outermost) if _named(pattern, each)
        ]
        if not images:
            return _because(
                f"there is no {self._tag(pattern)}",
                element_elsewhere(_names_in(pattern), positions),
            )
        misses = (self._at(pattern, image, positions, outermost) for image in images)
        return max(misses, key=lambda miss: miss.fitting).reason

    def _at(
        self,
        pattern: PatternElement,
        image: Node,
        positions: dict[Element, int],
        outermost: Sequence[Element],
    ) -> _Miss:
        """Return why the pattern does not fit with its first element here."""
        if not fits(pattern, image):
            return _Miss(0, f"{_place(image)}: {'; '.join(self._own(pattern, image))}")
        fitting = 1
        for child in pattern.children:
            below = images_below(child, image, positions, outermost)
            if any(True for each in below for _ in mappings(child, each, positions, outermost)):
                fitting += sum(1 for _ in elements_of(child))
                continue
            near = [each for each in below if _named(child, each)]
            if not near:
                where = (
                    "directly in it"
                    if child.path or child.rel == 1
                    else f"{child.rel} levels below it"
                )
                below_it = () if image is None else image.iterdescendants()
                elsewhere = element_elsewhere(_names_in(child), below_it)
                return _Miss(
                    fitting,
                    _because(f"{_place(image)}: there is no {self._tag(child)} {where}", elsewhere),
                )
            miss = max(
                (self._at(child, each, positions, outermost) for each in near),
                key=lambda each: each.fitting,
            )
            return _Miss(fitting + miss.fitting, miss.reason)
        asked = " then ".join(self._tag(child) for child in pattern.children)
        return _Miss(fitting, f"{_place(image)}: not in this order, one behind the other: {asked}")

    def _own(self, pattern: PatternElement, image: Node) -> Iterator[str]:
        """Yield the faults of the element itself."""
        if image is None:
            yield "nothing stands there"
            return
        if pattern.text is not None and pattern.text != own_text(image):
            yield f"its text is {_shown(own_text(image))}, not {_shown(pattern.text)}"
        for test in pattern.attributes:
            if attributes_for(test, image):
                continue
            given = None if test.name is None else image.get(test.name)
            name = "any name" if test.name is None else str(test.name).rpartition("}")[2]
            if given is None:
                value = "" if test.value is None else f" with {_shown(test.value)}"
                elsewhere = "" if test.name is None else attribute_elsewhere(test.name, image)
                yield _because(f"it has no attribute {name}{value}", elsewhere)
            else:
                yield f"its attribute {name} is {_shown(given)}, not {_shown(test.value)}"

    def _tag(self, pattern: PatternElement) -> str:
        return f"<{self._spaces.tag(pattern)}>"


def _names_in(pattern: PatternElement) -> list[str]:
    """Return the expanded names by which an element is searched."""
    steps = steps_of(pattern.path) if pattern.path is not None else (PathStep(pattern.name),)
    return [step.name for step in steps if step.name is not None]


def _because(reason: str, elsewhere: str) -> str:
    return f"{reason}; {elsewhere}" if elsewhere else reason


def _named(pattern: PatternElement, image: Node) -> bool:
    return pattern.name is None or (image is not None and image.tag == pattern.name)


def _place(image: Node) -> str:
    """Return the path of an element: names from the root down, numbered among equal siblings."""
    steps: list[str] = []
    while image is not None:
        steps.append(_step(image))
        image = image.getparent()
    return "/" + "/".join(reversed(steps))


def _step(element: Element) -> str:
    name, parent = str(element.tag).rpartition("}")[2], element.getparent()
    same: Iterable[Element] = (
        () if parent is None else [each for each in parent if each.tag == element.tag]
    )
    number = list(same).index(element) + 1 if parent is not None else 1
    return f"{name}[{number}]" if len(list(same)) > 1 else name


def _shown(value: object) -> str:
    text = value[0] if isinstance(value, tuple) else str(value)
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")
