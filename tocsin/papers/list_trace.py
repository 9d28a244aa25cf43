"""`tocsin explain --trace`: the steps of the paper's algorithm on an event, as in its tables 2 to
4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tocsin.events.event import Event
from tocsin.papers.selector_list import (
    ListNode,
    ListOperator,
    ListStep,
    ListTest,
    ListTrace,
    ListWalk,
    StepKind,
    SubscriptionList,
)
from tocsin.plan.explain.atoms import predicate_text, selector_text
from tocsin.plan.nodes.atoms import Condition, Not
from tocsin.plan.nodes.composites import Plan
from tocsin.values.truth import Truth

_LETTERS = {Truth.TRUE: "T", Truth.FALSE: "F", Truth.UNKNOWN: "U"}
_WIDEST = 60


def trace_lines(plans: Mapping[str, Plan], events: Iterable[Event]) -> Iterator[str]:
    """Yield the list S of the boolean selectors among the plans; then per event steps, table and
    matches.
    """
    selectors = SubscriptionList()
    for key, plan in plans.items():
        if isinstance(plan.pattern, Condition):
            selectors.add(key, plan.pattern.expression)
    yield "list S"
    for key, nodes in selectors.lists.items():
        yield f"  {key}: {_list_text(nodes)}"
    others = [key for key in plans if key not in selectors.lists]
    if others:
        yield f"  not in the list, because they are no boolean selectors: {' '.join(others)}"
    for event in events:
        yield ""
        yield from _event_lines(selectors.trace(event), event)


def _event_lines(trace: ListTrace, event: Event) -> Iterator[str]:
    yield f"event {event.id}"
    width = min(
        _WIDEST,
        max((len(_test_text(step.test)) for walk in trace.walks for step in walk.steps), default=0),
    )
    for walk in trace.walks:
        yield from _walk_lines(walk, width)
    yield "  table props"
    for number, (predicate, result) in enumerate(trace.props.items(), 1):
        yield f"    {number:<3} {predicate_text(predicate):<{width}}  {_LETTERS[result]}"
    counts = Counter(step.how for walk in trace.walks for step in walk.steps)
    told = ", ".join(f"{counts[how]} {how.value}" for how in StepKind)
    yield f"  {counts.total()} tests: {told}"
    yield f"  matches: {' '.join(trace.matches) or 'none'}"


def _walk_lines(walk: ListWalk, width: int) -> Iterator[str]:
    yield f"  {walk.key}"
    for step in walk.steps:
        text = f"{_test_text(step.test):<{width}}"
        yield f"    {step.how.value:<9}  {text}  {_LETTERS[step.value]}  {_reason(step)}"
    yield f"    result     {'T, it rings' if walk.matches else 'not T, it does not ring'}"


def _reason(step: ListStep) -> str:
    if step.before is None:
        return f"row {step.row} of props" + (", negated" if step.test.negated else "")
    value, operator = step.before
    return f"{_LETTERS[value]} {operator.value} settles it"


def _list_text(nodes: tuple[ListNode, ...]) -> str:
    return " ".join(f"{_content_text(node)} {node.operator.value}" for node in nodes)


def _content_text(node: ListNode) -> str:
    if isinstance(node.content, ListTest):
        return _test_text(node.content)
    if not node.content.nodes:
        return "TRUE" if node.content.fixed is Truth.TRUE else "FALSE"
    return f"({_list_text(node.content.nodes).removesuffix(f' {ListOperator.END.value}')})"


def _test_text(test: ListTest) -> str:
    return selector_text(Not(test.predicate) if test.negated else test.predicate)
