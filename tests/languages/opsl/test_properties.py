"""For any text: a plan or problems, nothing else. For any syntax tree: written down and read again,
it is the same.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.languages.opsl.plans import CONTEXT, problems_of
from tocsin.errors import Problem
from tocsin.languages import parse_subscription
from tocsin.languages.base.texts import SourceSpan
from tocsin.languages.opsl.read import OpslLimits, read
from tocsin.languages.opsl.syntax import (
    After,
    Atomic,
    Binding,
    CatalogName,
    Concurrent,
    Fixed,
    OpslAnd,
    OpslAttribute,
    OpslComparison,
    OpslOr,
    OpslSubscription,
    OpslVariable,
    OpslWindow,
    Polygon,
    Predicate,
    Spatial,
    Syntax,
    Window,
    WindowedOperand,
)

PIECES = st.sampled_from(
    """A B Region1 $x; $y; $x ; ;; ( ) , = =| |= | || && ! @ IN OVLP SPL DIST POLYGON((0 0,1 0,1 1)) < <= > 60s 5 -1 1.5
    ARITH: STRING: id 'a' "b" WHERE AND .id .a.b selector{ } selector{a=1} { 2024-01-01T00:00:00Z nan 1e999 : . $
    """.split()
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=25).map(" ".join),
    st.lists(PIECES, max_size=25).map("".join),
)

HERE = SourceSpan(0, "")


def token(text: str) -> SourceSpan:
    return SourceSpan(0, text)


def tokens(*texts: str) -> st.SearchStrategy[SourceSpan]:
    return st.sampled_from(texts).map(token)


def grown(inner: st.SearchStrategy[Syntax]) -> st.SearchStrategy[Syntax]:
    durations, places = tokens("60s", "5", "2 h"), st.one_of(inner, polygons)
    windows: st.SearchStrategy[Window] = st.one_of(
        st.builds(Fixed, tokens("0", "2024-01-01T00:00:00Z"), durations, spot=st.just(HERE)),
        st.builds(After, inner, durations, spot=st.just(HERE)),
        st.builds(OpslWindow, inner, inner, spot=st.just(HERE)),
    )
    return st.one_of(
        st.builds(OpslAnd, inner, inner, spot=st.just(HERE)),
        st.builds(OpslOr, st.lists(inner, min_size=2, max_size=3).map(tuple), spot=st.just(HERE)),
        st.builds(
            WindowedOperand, st.sampled_from(["!", "=|", "|="]), windows, inner, spot=st.just(HERE)
        ),
        st.builds(Concurrent, inner, inner, spot=st.just(HERE)),
        st.builds(Spatial, st.just("@"), st.one_of(names, polygons), inner, spot=st.just(HERE)),
        st.builds(Spatial, st.just("IN"), inner, inner, spot=st.just(HERE)),
        st.builds(Spatial, st.sampled_from(["OVLP", "SPL"]), places, inner, spot=st.just(HERE)),
        st.builds(
            Spatial,
            st.just("DIST"),
            places,
            inner,
            tokens("<", "=", ">"),
            tokens("5", "0.5"),
            spot=st.just(HERE),
        ),
    )


def ring(corners: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(corners)


names = st.builds(CatalogName, st.sampled_from(["A", "E-A", "Region1"]), spot=st.just(HERE))
variables = st.builds(OpslVariable, st.sampled_from(["x", "y1"]), spot=st.just(HERE))
predicates = st.one_of(
    st.builds(
        Predicate,
        tokens("ARITH"),
        tokens("id", "a.b"),
        tokens("=", "!=", "<", ">="),
        tokens("5", "-1.5e3"),
        spot=st.just(HERE),
    ),
    st.builds(
        Predicate,
        tokens("STRING"),
        tokens("k", "`a b`"),
        tokens("=", "!="),
        tokens("'it''s'", '"}{"'),
        spot=st.just(HERE),
    ),
)
atomics = st.builds(
    Atomic, st.lists(predicates, min_size=1, max_size=3).map(tuple), spot=st.just(HERE)
)
numbers = st.sampled_from(["0", "1", "2.5", "-3"])
rings = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=4).map(ring)
polygons = st.builds(
    Polygon,
    st.lists(st.lists(rings, min_size=1, max_size=2).map(tuple), min_size=1, max_size=2).map(tuple),
    spot=st.just(HERE),
)
parts: st.SearchStrategy[Syntax] = st.recursive(
    st.one_of(names, variables, atomics), grown, max_leaves=8
)
attributes = st.builds(
    OpslAttribute, st.sampled_from(["x", "y1"]), tokens(".id", ".a.b"), spot=st.just(HERE)
)
comparisons = st.builds(
    OpslComparison, attributes, tokens("=", "<>", "<="), attributes, spot=st.just(HERE)
)
bindings = st.builds(Binding, st.sampled_from(["x", "y1"]), parts, spot=st.just(HERE))
subscriptions = st.builds(
    OpslSubscription,
    parts,
    st.lists(bindings, max_size=2).map(tuple),
    st.lists(comparisons, max_size=2).map(tuple),
    spot=st.just(HERE),
)


def written(node: Syntax | Polygon) -> str:
    match node:
        case Atomic(predicates):
            return ", ".join(
                f"{p.type.text}: {p.attribute.text} {p.comparison.text} {p.value.text}"
                for p in predicates
            )
        case OpslVariable(name):
            return f"${name};"
        case CatalogName(name):
            return name
        case Polygon(polygons):
            bodies = [
                "(" + ",".join("(" + ",".join(f"{a} {b}" for a, b in r) + ")" for r in rings) + ")"
                for rings in polygons
            ]
            return (
                f"POLYGON{bodies[0]}" if len(bodies) == 1 else f"MULTIPOLYGON({','.join(bodies)})"
            )
        case OpslAnd(left, right):
            return f"{grouped(left)} && {grouped(right)}"
        case OpslOr(operands):
            return " || ".join(map(grouped, operands))
        case WindowedOperand(operator, window, operand):
            return f"{operator}({written_window(window)}){grouped(operand)}"
        case Concurrent(other, operand):
            return f"|({written(other)}){grouped(operand)}"
        case Spatial(operator, place, operand, comparison, distance):
            more = f";{comparison.text};{distance.text}" if comparison and distance else ""
            return f"{operator}({written(place)}{more}){grouped(operand)}"
    raise AssertionError(node)


def grouped(node: Syntax) -> str:
    return f"({written(node)})"


def written_window(window: Window) -> str:
    match window:
        case Fixed(instant, duration):
            return f"{instant.text};{duration.text}"
        case After(part, duration):
            return f"{written(part)};{duration.text}"
        case OpslWindow(first, last):
            return f"{written(first)};{written(last)}"


def written_subscription(subscription: OpslSubscription) -> str:
    bound = "".join(
        f", ${each.name}; = {written(each.definition)}" for each in subscription.bindings
    )
    compared = " AND ".join(
        f"{written_side(each.left)} {each.relation.text} {written_side(each.right)}"
        for each in subscription.comparisons
    )
    return written(subscription.main) + bound + (f" WHERE {compared}" if compared else "")


def written_side(attribute: OpslAttribute) -> str:
    return f"${attribute.variable};{attribute.path.text}"


def first_problem(text: str) -> list[str]:
    """What parsing raises, as a list of one or none."""
    try:
        parse_subscription("opsl", text, {}, CONTEXT)
    except Problem as problem:
        return [str(problem)]
    return []


@given(subscriptions)
def test_a_tree_written_down_and_read_again_is_the_same(subscription: OpslSubscription) -> None:
    assert read(written_subscription(subscription), OpslLimits()) == subscription


@given(TEXTS)
def test_any_text_is_a_plan_or_has_problems(text: str) -> None:
    problems = problems_of(text)
    assert all(problem.hint for problem in problems)
    assert first_problem(text) == [str(problem) for problem in problems[:1]]


@given(subscriptions)
def test_parse_raises_the_first_of_all_problems(subscription: OpslSubscription) -> None:
    text = written_subscription(subscription)
    assert first_problem(text) == [str(problem) for problem in problems_of(text)[:1]]
