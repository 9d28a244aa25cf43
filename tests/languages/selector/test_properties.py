"""Properties of the selector language: what is written is what is read, and no text makes it
stumble.
"""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import EVALUATORS, condition_of, event_with
from tests.strategies import attribute_values
from tocsin.errors import Problem
from tocsin.languages.selector import DIALECTS
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    Ordered,
    Predicate,
)
from tocsin.plan.semantics.cesql import cesql_truth, evaluate
from tocsin.reference import truth_of
from tocsin.values.like import LikePattern, Wild, compile_like
from tocsin.values.scalars import Constant, Kind
from tocsin.values.truth import negation

parse, problems = SELECTOR.parse, SELECTOR.problems

# ---- a tree, its text, and the tree again
# ---------------------------------------------------------------------

paths = st.sampled_from(
    [("a",), ("b",), ("n", "a"), ("", "type"), ("and",), ("x.y",), ("Größe",), ("n", "two words")]
)
numbers = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False)
).map(Constant.of)
strings = st.text(st.characters(exclude_categories=("Cs",)), max_size=6).map(Constant.of)
tokens = st.one_of(st.sampled_from(list(Wild)), st.text("ab%_!'\"\\", min_size=1, max_size=3))
like_patterns = st.lists(tokens, max_size=5).map(LikePattern.of)
predicates: st.SearchStrategy[Predicate] = st.one_of(
    st.builds(Equals, paths, st.one_of(numbers, strings, st.booleans().map(Constant.of))),
    st.builds(Ordered, paths, st.sampled_from(["<", "<=", ">", ">="]), st.one_of(numbers, strings)),
    st.builds(Between, paths, numbers, numbers),
    st.builds(Between, paths, strings, strings),
    st.builds(
        OneOf,
        paths,
        st.one_of(*(st.frozensets(kind, min_size=1, max_size=3) for kind in (numbers, strings))),
    ),
    st.builds(Like, paths, like_patterns),
    st.builds(IsNull, paths),
)


def _groups(inner: st.SearchStrategy[BooleanNode]) -> st.SearchStrategy[BooleanNode]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.one_of(st.builds(Not, inner), st.builds(AllOf, several), st.builds(AnyOf, several))


trees = st.recursive(predicates, _groups, max_leaves=12)


def written(node: BooleanNode) -> str:
    """The tree as text, every group in parentheses."""
    match node:
        case Not(operand):
            return f"NOT ({written(operand)})"
        case AllOf(operands):
            return " AND ".join(f"({written(operand)})" for operand in operands)
        case AnyOf(operands):
            return " or ".join(f"({written(operand)})" for operand in operands)
        case Equals(path, value):
            return f"{_name(path)}={_literal(value)}"
        case Ordered(path, relation, limit):
            return f"{_name(path)} {relation} {_literal(limit)}"
        case Between(path, low, high):
            return f"{_name(path)} Between {_literal(low)} and {_literal(high)}"
        case OneOf(path, values):
            return f"{_name(path)} IN ({','.join(map(_literal, values))})"
        case Like(path, pattern):
            return f"{_name(path)} LIKE {_literal(Constant.of(pattern.text('!')))} ESCAPE '!'"
        case IsNull(path):
            return f"{_name(path)} is null"
        case _:
            raise AssertionError(node)


def _name(path: tuple[str, ...]) -> str:
    return f"ce_{path[1]}" if path[0] == "" else ".".join(f"`{step}`" for step in path)


def _literal(constant: Constant) -> str:
    if constant.kind is Kind.STRING:
        return '"' + str(constant.value).replace('"', '""') + '"'
    return str(constant.value) if constant.kind is Kind.BOOLEAN else repr(constant.value)


@given(trees)
def test_a_written_tree_is_read_back(tree: BooleanNode):
    assert condition_of(parse(written(tree))).expression == tree


# ---- random text
# ----------------------------------------------------------------------------------------------

WORDS = (
    "a b.c `d e` ce_id and or not like escape between in is null true false exists xor AND NOT "
    "= <> < <= > >= != ( ) , + - * / % # 1 -2 2.5 1e3 .5 'x' \"y\" 'a%' '!' LENGTH( ' \" ` ! \\ \n "
    "'' '%' '_' '\\\\' '\\%' LIKE LOWER( LEFT( EXISTS( UTC() [x y] [ ] p.to h.priority ce_time "
    "'2026-01-01T00:00:00Z' -- ; “x” 1,000"
).split(" ")
garbage = st.one_of(
    st.text(max_size=40), st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join)
)


@given(garbage, st.sampled_from(sorted(DIALECTS)))
@example("\ud800", "selector")
@example("a = '\x00'", "cesql")
@example("a LIKE '\x00%' AND TRUE", "cesql")
@example("type LIKE ''", "cesql")
def test_any_text_parses_or_is_a_problem_with_code_place_and_hint(text: str, dialect: str):
    found = problems(text, {"dialect": dialect})
    for problem in found:
        assert problem.code.startswith("Selector")
        assert problem.place is not None
        assert problem.hint
    try:
        parse(text, {"dialect": dialect})
    except Problem:
        assert found
    else:
        assert not found


@given(
    garbage,
    st.sampled_from(sorted(DIALECTS)),
    st.dictionaries(st.sampled_from(["a", "b"]), attribute_values()),
)
def test_what_parses_is_evaluated_alike_by_all_and_never_raises(
    text: str, dialect: str, data: dict[str, object]
):
    if problems(text, {"dialect": dialect}):
        return
    plan, event = parse(text, {"dialect": dialect}), event_with(data)
    assert len({rings(plan, event) for rings in EVALUATORS}) == 1


operands = st.sampled_from(["a", "b", "1", "2.5", "0", "(a + b)", "-a", "a * 2", "b / a"])
relations = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
mirrored = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
both = st.fixed_dictionaries({}, optional={"a": attribute_values(), "b": attribute_values()})


@given(operands, relations, operands, both, st.sampled_from(["selector", "jms"]))
def test_a_comparison_and_its_mirror_image_agree(
    left: str, relation: str, right: str, data: dict[str, object], dialect: str
):
    event = event_with(data)
    one = condition_of(parse(f"{left} {relation} {right}", {"dialect": dialect})).expression
    other = condition_of(
        parse(f"{right} {mirrored[relation]} {left}", {"dialect": dialect})
    ).expression
    assert truth_of(one, event) is truth_of(other, event)


@given(operands, operands, both)
def test_not_equal_is_the_negation_of_equal(left: str, right: str, data: dict[str, object]):
    event = event_with(data)
    equal = truth_of(condition_of(parse(f"{left} = {right}")).expression, event)
    assert truth_of(condition_of(parse(f"{left} <> {right}")).expression, event) is negation(equal)


# ---- LIKE
# -----------------------------------------------------------------------------------------------------


def _matches(tokens: list[str | Wild], text: str) -> bool:
    """The meaning of a pattern, by trying everything."""
    if not tokens:
        return not text
    first, rest = tokens[0], tokens[1:]
    if first is Wild.ANY_RUN:
        return any(_matches(rest, text[skipped:]) for skipped in range(len(text) + 1))
    if first is Wild.ANY_ONE:
        return bool(text) and _matches(rest, text[1:])
    return text.startswith(str(first)) and _matches(rest, text[len(str(first)) :])


few = st.lists(st.sampled_from(["a", "b", "ab", "", *Wild]), max_size=7)


@given(few, st.text("ab", max_size=9))
def test_like_means_what_trying_everything_says(pattern: list[str | Wild], text: str):
    assert compile_like(LikePattern.of(pattern))(text) == _matches(pattern, text)


@given(few, st.text("ab", max_size=9), st.integers(70, 200))
def test_a_long_pattern_means_the_same(pattern: list[str | Wild], text: str, length: int):
    """A beginning too long for RE2 that matches by itself, with a middle that fits one place only,
    changes nothing.
    """
    beginning = ["c" * length, Wild.ANY_RUN, "d", Wild.ANY_ONE, "e"]
    matches = compile_like(LikePattern.of([*beginning, *pattern]))
    assert matches("c" * length + "dd" + "dxe" + text) == _matches(pattern, text)


def test_hostile_patterns_end():
    """Each of these takes a matcher that goes back longer than anyone waits."""
    for pattern in (
        ["a", Wild.ANY_RUN] * 2000,
        [Wild.ANY_RUN, "a", Wild.ANY_ONE] * 2000,
        ["a", Wild.ANY_ONE] * 20_000,
    ):
        assert not compile_like(LikePattern.of([Wild.ANY_RUN, *pattern, "b"]))("a" * 100_000)


def test_cesql_truth_needs_true_and_no_error():
    event = event_with()
    for text in ("TRUE", "1", "'true'", "TRUE OR missing", "missing OR TRUE"):
        expression = condition_of(parse(text, {"dialect": "cesql"})).expression.expression  # type: ignore[union-attr]
        value, errors = evaluate(expression, event)
        assert (cesql_truth(expression, event).name == "TRUE") == (value is True and not errors)
