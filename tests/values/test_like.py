"""LIKE: the compiled matcher agrees with the definition, and hostile patterns come to an end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.values.like import LikePattern, Token, Wild, compile_like

ONE, RUN = Wild.ANY_ONE, Wild.ANY_RUN
ALPHABET = "ab\n\0.%é\U0001f514"
tokens = st.lists(
    st.one_of(st.sampled_from([ONE, RUN, RUN]), st.text(ALPHABET, max_size=3)), max_size=8
)
texts = st.text(ALPHABET, max_size=12)


def naive(pattern: tuple[Token, ...], text: str) -> bool:
    """The definition, word for word."""
    if not pattern:
        return text == ""
    head, rest = pattern[0], pattern[1:]
    if head is RUN:
        return any(naive(rest, text[cut:]) for cut in range(len(text) + 1))
    if head is ONE:
        return text != "" and naive(rest, text[1:])
    assert isinstance(head, str)
    return text.startswith(head) and naive(rest, text[len(head) :])


def matches(text: str, *pattern: Token) -> bool:
    return compile_like(LikePattern.of(pattern))(text)


@given(tokens, texts)
def test_the_matcher_agrees_with_the_definition(pattern: list[Token], text: str) -> None:
    assert matches(text, *pattern) == naive(tuple(pattern), text)


@given(st.lists(st.sampled_from([ONE, RUN, "a", "b"]), max_size=6), st.text("ab", max_size=8))
def test_the_matcher_agrees_where_everything_nearly_matches(
    pattern: list[Token], text: str
) -> None:
    assert matches(text, *pattern) == naive(tuple(pattern), text)


@given(
    st.lists(st.sampled_from([ONE, RUN, "a", "b"]), max_size=6),
    st.text("ab", max_size=8),
    st.sampled_from("ab"),
)
def test_a_long_pattern_means_what_a_short_one_means(
    pattern: list[Token], text: str, pad: str
) -> None:
    """A prefix of 70 characters sends the pattern through the matcher for long ones."""
    prefix = (ONE, pad * 70)
    assert matches("x" + pad * 70 + text, *prefix, *pattern) == naive(
        (*prefix, *pattern), "x" + pad * 70 + text
    )


@given(tokens)
def test_the_canonical_form_is_a_fixed_point_without_neighbours_to_join(
    pattern: list[Token],
) -> None:
    canonical = LikePattern.of(pattern)
    assert LikePattern.of(canonical.tokens) == canonical
    for left, right in zip(canonical.tokens, canonical.tokens[1:], strict=False):
        assert (left, right) not in {(RUN, RUN), (RUN, ONE)}
        assert not (isinstance(left, str) and isinstance(right, str))


@given(tokens, texts)
def test_every_match_has_every_literal(pattern: list[Token], text: str) -> None:
    canonical = LikePattern.of(pattern)
    if compile_like(canonical)(text):
        assert all(literal in text for literal in canonical.literals())


def test_patterns_that_say_the_same_are_the_same() -> None:
    assert LikePattern.of([RUN, ONE, RUN, ONE]) == LikePattern.of([ONE, ONE, RUN])
    assert LikePattern.of(["a", "", "b"]) == LikePattern.of(["ab"])


@pytest.mark.parametrize(
    ("pattern", "text", "needs"),
    [
        ((), "", False),
        (("a", RUN, ONE), "a_%", False),
        (("100%",), "100\\%", True),
        (("a_b",), "a\\_b", True),
        (("\\",), "\\\\", False),
    ],
)
def test_a_pattern_as_text_escapes_what_stands_for_itself(
    pattern: tuple[Token, ...], text: str, needs: bool
) -> None:
    assert LikePattern.of(pattern).text() == text
    assert LikePattern.of(pattern).needs_escape() == needs


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param([RUN, *["a", RUN] * 20_000, "b"], False, id="many runs"),
        pytest.param([RUN, *["a", ONE] * 20_000, "b"], False, id="every other character"),
        pytest.param([RUN, "a", *[ONE] * 40_000, "b"], False, id="a wide gap"),
        pytest.param([RUN, *["a", ONE, "a", RUN] * 10_000], True, id="many pieces that match"),
        pytest.param([*[ONE] * 60_000, RUN], True, id="only wildcards"),
        pytest.param([RUN, *["a", ONE] * 20, "b", RUN], False, id="short, with a wealth of states"),
    ],
)
def test_a_hostile_pattern_comes_to_an_end(pattern: list[Token], expected: bool) -> None:
    assert matches("a" * 100_000, *pattern) == expected
