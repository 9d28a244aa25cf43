"""The paper's algorithm as the paper describes it (P2.2, steps 1 to 4): for reading, not for speed.

A selector is a list of nodes, each a test and the operator behind it, the last one with the end
mark `#`. The value of a node is looked up in the table *props* or evaluated and entered there; if
the node before decides it, it is assigned without evaluation (and never entered). At the end the
values are combined, AND before OR. An OR under an AND, for which the paper has no form, is a node
of its own: a list in parentheses.

`tocsin explain --trace` shows its steps on an event, as in the tables 2 to 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from tocsin.errors import MeaningProblem
from tocsin.events.event import Event
from tocsin.plan.explain.atoms import predicate_text, selector_text
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Condition, Not, Predicate
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.passes import prepared_expression
from tocsin.plan.semantics.predicate_truth import predicate_truth
from tocsin.values.truth import Truth, negation, truth


class ListOperator(Enum):
    """The operator behind a node."""

    AND = "and"
    OR = "or"
    END = "#"


@dataclass(frozen=True, slots=True)
class ListTest:
    """A predicate, or its negation."""

    predicate: Predicate
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ListGroup:
    """A list in parentheses; one without nodes has a fixed value."""

    nodes: tuple[ListNode, ...]
    fixed: Truth = Truth.TRUE


@dataclass(frozen=True, slots=True)
class ListNode:
    """One node of a list."""

    content: ListTest | ListGroup
    operator: ListOperator


class StepKind(Enum):
    """The way a node got its value."""

    EVALUATED = "evaluated"
    REUSED = "reused"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class ListStep:
    """A test with its value.

    From a row of props, or assigned because of the node before it and that node's operator.
    """

    test: ListTest
    how: StepKind
    value: Truth
    row: int = 0
    before: tuple[Truth, ListOperator] | None = None


@dataclass(frozen=True, slots=True)
class ListWalk:
    """One selector over one event: its steps, and True if it rings."""

    key: str
    nodes: tuple[ListNode, ...]
    steps: tuple[ListStep, ...]
    matches: bool


@dataclass(slots=True)
class ListTrace:
    """The walks over one event, and the table props: predicates in order of evaluation, with
    results.
    """

    walks: list[ListWalk] = field(default_factory=list)
    props: dict[Predicate, Truth] = field(default_factory=dict)

    @property
    def matches(self) -> list[str]:
        """The selectors that ring, in the order of the list."""
        return [walk.key for walk in self.walks if walk.matches]


class SubscriptionList:
    """The list S: selectors in insertion order."""

    def __init__(self, *, reorder: bool = True) -> None:
        self._reorder = reorder
        self.lists: dict[str, tuple[ListNode, ...]] = {}

    def add(self, key: str, expression: BooleanNode) -> None:
        """Split a selector into nodes, after preprocessing unless `reorder` is off."""
        prepared = prepared_expression(expression) if self._reorder else expression
        self.lists[key] = tuple(_nodes(prepared, ListOperator.END))

    def trace(self, event: Event) -> ListTrace:
        """Run all selectors over one event, with an empty table."""
        trace = ListTrace()
        for key, nodes in self.lists.items():
            steps: list[ListStep] = []
            value = _walk(nodes, event, trace.props, steps)
            trace.walks.append(ListWalk(key, nodes, tuple(steps), value is Truth.TRUE))
        return trace


def _nodes(node: BooleanNode, behind: ListOperator) -> Iterator[ListNode]:
    """Yield the nodes of a condition in negation normal form; the last gets operator `behind`."""
    match node:
        case AnyOf(operands) if operands:
            for operand in operands[:-1]:
                yield from _nodes(operand, ListOperator.OR)
            yield from _nodes(operands[-1], behind)
        case AllOf(operands) if operands:
            for operand in operands[:-1]:
                yield ListNode(_content(operand), ListOperator.AND)
            yield ListNode(_content(operands[-1]), behind)
        case _:
            yield ListNode(_content(node), behind)


def _content(node: BooleanNode) -> ListTest | ListGroup:
    match node:
        case AllOf(()) | AnyOf(()):
            return ListGroup((), truth(isinstance(node, AllOf)))
        case AllOf() | AnyOf():
            return ListGroup(tuple(_nodes(node, ListOperator.END)))
        case Not(AllOf() | AnyOf() | Not()):
            raise MeaningProblem(
                "a negation must stand on a predicate here", hint="push negations down first"
            )
        case Not(predicate):
            return ListTest(predicate, negated=True)  # type: ignore[arg-type]
        case _:
            return ListTest(node)


def _walk(
    nodes: tuple[ListNode, ...], event: Event, props: dict[Predicate, Truth], steps: list[ListStep]
) -> Truth:
    values: list[tuple[Truth, ListOperator]] = []
    for node in nodes:
        settled = _settled(values[-1]) if values else None
        if settled is None:
            value = _value(node.content, event, props, steps)
        else:
            value = settled
            steps += [
                ListStep(test, StepKind.SKIPPED, settled, before=values[-1])
                for test in _tests(node.content)
            ]
        values.append((value, node.operator))
    return _combine_values(values)


def _settled(before: tuple[Truth, ListOperator]) -> Truth | None:
    """Return the value that the node before assigns to the next; None if it must be evaluated."""
    value, operator = before
    if operator is ListOperator.OR:
        return Truth.TRUE if value is Truth.TRUE else None
    return None if value is Truth.TRUE else Truth.FALSE


def _value(
    content: ListTest | ListGroup,
    event: Event,
    props: dict[Predicate, Truth],
    steps: list[ListStep],
) -> Truth:
    if isinstance(content, ListGroup):
        return _walk(content.nodes, event, props, steps) if content.nodes else content.fixed
    known = content.predicate in props
    if not known:
        props[content.predicate] = predicate_truth(content.predicate, event)
    result = props[content.predicate]
    value = negation(result) if content.negated else result
    row = list(props).index(content.predicate) + 1
    steps.append(ListStep(content, StepKind.REUSED if known else StepKind.EVALUATED, value, row))
    return value


def _tests(content: ListTest | ListGroup) -> Iterator[ListTest]:
    if isinstance(content, ListTest):
        yield content
    else:
        for node in content.nodes:
            yield from _tests(node.content)


def _combine_values(values: list[tuple[Truth, ListOperator]]) -> Truth:
    """Return the value of the whole list: AND before OR."""
    best, group = Truth.FALSE, Truth.TRUE
    for value, operator in values:
        group = min(group, value)
        if operator is not ListOperator.AND:
            best, group = max(best, group), Truth.TRUE
    return best


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
