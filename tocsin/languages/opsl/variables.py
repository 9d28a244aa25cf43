"""Variables: each bound once, used, free of cycles; one in a negated part is used in that part
only.

WHERE compares the events of variables, which does not count as a use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain

from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.opsl.syntax import (
    Binding,
    OpslSubscription,
    OpslVariable,
    Polygon,
    Syntax,
    WindowedOperand,
    children,
)

MAIN = ""
"""Key of the main subscription among the bodies; no variable has an empty name."""


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a variable, and the negations around it by their offsets, if it is in their absent
    part.
    """

    name: str
    spot: SourceSpan
    negations: tuple[int, ...]


Uses = Mapping[str, tuple[Use, ...]]
"""Uses of variables in the main subscription and in the definition of each variable."""


def order_of_bindings(subscription: OpslSubscription, problems: ProblemCollector) -> list[Binding]:
    """Return the bindings, each after those that it uses.

    Adds problems of variables; a circle is cut by leaving out its first binding.
    """
    bindings = _bound_once(subscription, problems)
    uses = {MAIN: tuple(_uses(subscription.main))}
    uses |= {name: tuple(_uses(binding.definition)) for name, binding in bindings.items()}
    _refuse_undefined(uses, subscription, problems)
    order = _order(bindings, uses, problems)
    _refuse_unused(bindings, uses, subscription, problems)
    _refuse_in_negation(uses, problems)
    return order


def _bound_once(subscription: OpslSubscription, problems: ProblemCollector) -> dict[str, Binding]:
    bindings: dict[str, Binding] = {}
    for binding in subscription.bindings:
        if binding.name in bindings:
            problems.add(
                "DuplicateVariable",
                binding.spot,
                f"{binding.spot.text} is bound a second time",
                "a variable is bound once; give the second one another name",
            )
        bindings.setdefault(binding.name, binding)
    return bindings


def _uses(node: Syntax | Polygon, negations: tuple[int, ...] = ()) -> Iterator[Use]:
    if isinstance(node, OpslVariable):
        yield Use(node.name, node.spot, negations)
    for child in children(node):
        absent = (
            isinstance(node, WindowedOperand) and node.operator == "!" and child is node.operand
        )
        yield from _uses(child, (*negations, node.spot.offset) if absent else negations)


def _refuse_undefined(
    uses: Uses, subscription: OpslSubscription, problems: ProblemCollector
) -> None:
    spots: dict[str, SourceSpan] = {}
    for use in chain(*uses.values()):
        spots.setdefault(use.name, use.spot)
    for side in chain(*((each.left, each.right) for each in subscription.comparisons)):
        spots.setdefault(side.variable, side.spot)
    for name, spot in spots.items():
        if name not in uses:
            problems.add(
                "UndefinedVariable",
                spot,
                f"${name}; is not bound",
                f"bind it at the end of the subscription: , ${name}; = ...",
            )


def _order(
    bindings: Mapping[str, Binding], uses: Uses, problems: ProblemCollector
) -> list[Binding]:
    graph = {name: {use.name for use in uses[name] if use.name in bindings} for name in bindings}
    cut: set[str] = set()
    while True:
        try:
            order = list(TopologicalSorter(graph).static_order())
            return [bindings[name] for name in order if name not in cut]
        except CycleError as error:
            circle = error.args[1][:-1][::-1]
            first = min(circle, key=lambda name: bindings[name].spot.offset)
            turn = circle.index(first)
            _refuse_circle([*circle[turn:], *circle[:turn], first], bindings[first].spot, problems)
            graph[first] = set()
            cut.add(first)


def _refuse_circle(circle: list[str], spot: SourceSpan, problems: ProblemCollector) -> None:
    shown = " uses ".join(f"${name};" for name in circle)
    problems.add(
        "CyclicVariable", spot, f"the variable is defined by itself: {shown}", "break the circle"
    )


def _refuse_unused(
    bindings: Mapping[str, Binding],
    uses: Uses,
    subscription: OpslSubscription,
    problems: ProblemCollector,
) -> None:
    reached = _reached(uses, MAIN)
    compared = {
        side.variable for each in subscription.comparisons for side in (each.left, each.right)
    }
    for name in bindings.keys() - reached:
        only = "only compared in WHERE" if name in compared else "never used"
        problems.add(
            "UnusedVariable",
            bindings[name].spot,
            f"${name}; is bound but {only}",
            "use it in the subscription, or take the binding out",
        )


def _refuse_in_negation(uses: Uses, problems: ProblemCollector) -> None:
    negations = dict.fromkeys(
        offset for body in uses.values() for use in body for offset in use.negations
    )
    for negation in negations:
        inside = [use for body in uses.values() for use in body if negation in use.negations]
        outside = _reached(uses, MAIN, without=negation)
        for use in {use.name: use for use in reversed(inside)}.values():
            shared = _reached(uses, use.name) & outside
            if shared and (use.name in shared or not any(each.name in outside for each in inside)):
                name = use.name if use.name in shared else min(shared)
                problems.add(
                    "VariableInNegation",
                    use.spot,
                    f"${name}; stands for an absent event and is used elsewhere, too",
                    "an absent event has no identity; compare attributes with WHERE instead",
                )


def _reached(uses: Uses, start: str, without: int | None = None) -> set[str]:
    """Return the variables reached from a body, itself included, on no path into the given
    negation.
    """
    reached, open_ends = {start}, [start]
    while open_ends:
        for use in uses.get(open_ends.pop(), ()):
            if use.name not in reached and without not in use.negations:
                reached.add(use.name)
                open_ends.append(use.name)
    return reached - {MAIN}
