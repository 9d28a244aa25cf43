"""In a notebook a match and a plan are shown as HTML, and nothing that an event says becomes
markup.
"""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from tests.builders import build_match
from tocsin import Hub, Match
from tocsin.catalog import Subscription, compile_subscription
from tocsin.values.html import preformat, table

EVIL = "<script>alert('x')</script>&amp;\"'"


class Read(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def ring(expression: str, language: str, data: object) -> Match:
    hub = Hub()
    hub.subscribe(expression, language=language, id=EVIL)
    (match,) = hub.publish(
        {
            "id": "1",
            "source": EVIL,
            "type": "t",
            "time": "2026-01-01T00:00:00Z",
            "place": "POINT (1 2)",
            "data": data,
        }
    )
    return match


def test_a_match_tells_what_rang_when_where_and_for_what() -> None:
    read = Read(ring("a = 1", "selector", {"a": 1, "b": "é"})._repr_html_())
    for words in ("1", "2026-01-01T00:00:00Z", "POINT (1 2)", '{"a":1,"b":"é"}', "detected"):
        assert words in read.text


def test_nothing_of_an_event_or_a_subscription_becomes_markup() -> None:
    read = Read(ring("evil LIKE '%'", "selector", {"evil": EVIL, EVIL: 1})._repr_html_())
    assert read.tags <= {"table", "caption", "tr", "th", "td"}
    assert read.text.count("<script>") >= 3


def test_bindings_and_outputs_are_told() -> None:
    match = build_match(bindings={"$x": EVIL}, outputs=(f"<a>{EVIL}</a>",))
    read = Read(match._repr_html_())
    assert read.tags <= {"table", "caption", "tr", "th", "td"}
    assert f"$x{EVIL}" in read.text
    assert f"output<a>{EVIL}</a>" in read.text
    assert "start" not in read.text, "what is not known has no row"


@pytest.mark.parametrize(
    ("language", "expression", "words"),
    [
        ("selector", "a < 1 AND b = '<script>'", ("a < 1", "<script>", "state bound")),
        ("opsl", "=|(selector{ a = 1 }; 2h) selector{ b = '<i>' }", ("<i>", "state bound", "2h")),
    ],
)
def test_a_plan_is_told_in_the_words_of_explain(
    language: str, expression: str, words: tuple[str, ...]
) -> None:
    read = Read(compile_subscription(Subscription("s", language, expression))._repr_html_())
    assert read.tags == {"pre"}
    for each in words:
        assert each in read.text


def test_long_values_are_cut_and_say_how_long_they_are() -> None:
    page = table("t", [("a", "x" * 5_000), ("b", "y")])
    assert len(page) < 2_500
    assert "(5,000 characters)" in page
    assert Read(page).text.endswith("y")


def test_lines_are_escaped() -> None:
    assert preformat(["'<'"]) == "<pre>&#x27;&lt;&#x27;</pre>"
