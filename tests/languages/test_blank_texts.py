"""A text with nothing in it is read like any other: it means something, or is a problem with a way
out.
"""

from __future__ import annotations

from itertools import product

import pytest

from tocsin.errors import Problem
from tocsin.languages import LANGUAGES, problems_in_subscription

BLANKS = (
    "",
    " ",
    "\n",
    "\t\r\n",
    "\N{NO-BREAK SPACE}",
    "\N{EM SPACE}",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
)
BLANKS += ("\N{LINE SEPARATOR}", "\N{ZERO WIDTH SPACE}", "\ufeff", "\ufeff ", "\0")
FRAMES = {
    "selector": ("{}", "a = {}", "a = 1 AND {}", "a LIKE {}"),
    "graph": ("{}", "({}", "ASK {{{}}}", "SELECT {}", "(_:H, ?1,{}", "PREFIX{}"),
    "concept": (
        "{}",
        "exists r.{}",
        "(A and {}) before B",
        "selector{{{}}}",
        "graph{{{}}}",
        "xml{{{}}}",
    ),
    "exmlql": (
        "{}",
        "WHERE {}",
        "WHERE <a>{}</>",
        "WHERE <a b={}>x</>",
        "WHERE <a>$x</> CONSTRUCT {}",
        "<a>{}</a>",
    ),
    "opsl": (
        "{}",
        "ARITH:{}",
        "selector{{{}}}",
        "graph{{{}}}",
        "concept{{{}}}",
        "xml{{{}}}",
        "ARITH: a = 1 {} ;",
    ),
    "rule": (
        "{}",
        "WHEN{}",
        "WHEN a({})",
        "WHEN selector{{{}}}",
        "WHEN a BECOMES {}",
        "WHEN a THEN {} b",
        "WHEN a WHERE {}",
        "WHEN a FOR EACH {}",
    ),
    "plan": ("{}", '{{"tocsin-plan": 1, "plan": {}}}', '{{"tocsin-plan":{}}}'),
    "epcis": ("{}", "{{{}}}", "<{}", '{{"EQ_bizStep": [{}]}}'),
}


def test_every_language_is_asked() -> None:
    assert set(FRAMES) == set(LANGUAGES)


@pytest.mark.parametrize("language", sorted(FRAMES))
def test_blank_texts_raise_nothing_but_problems(language: str) -> None:
    for frame, blank in product(FRAMES[language], BLANKS):
        for problem in problems_in_subscription(language, frame.format(blank), {}):
            assert isinstance(problem, Problem)
            assert problem.hint, (frame, blank, problem)


@pytest.mark.parametrize("language", sorted(set(FRAMES) - {"selector"}))
@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_a_blank_text_asks_for_nothing(language: str, blank: str) -> None:
    """Only a selector may be empty: it holds always, as in the specification of JMS."""
    assert problems_in_subscription(language, blank, {})
