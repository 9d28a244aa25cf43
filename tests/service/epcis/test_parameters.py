"""Parameters of a URL and of a query: what is asked, how the result is ordered and cut, pages."""

from __future__ import annotations

import json

import pytest

from tocsin.service.epcis.exceptions import EpcisException
from tocsin.service.epcis.parameters import (
    MAX_PER_PAGE,
    Controls,
    PageCursor,
    link_to,
    name_after,
    place_of,
    question_of,
    question_of_url,
    read_page,
    require_short,
    token_of,
)


def test_bars_and_repeats_make_lists():
    found = question_of_url(
        [
            ("EQ_bizStep", "shipping|receiving"),
            ("EQ_bizStep", "packing"),
            ("GE_eventTime", "2026-01-01T00:00:00Z"),
            ("perPage", "5"),
        ]
    )
    assert json.loads(found.text) == {
        "EQ_bizStep": ["shipping", "receiving", "packing"],
        "GE_eventTime": "2026-01-01T00:00:00Z",
    }


def test_path_narrows_what_the_url_asks():
    assert question_of_url([], EQ_bizStep="shipping").parameters == {"EQ_bizStep": ["shipping"]}
    both = question_of_url([("EQ_bizStep", "shipping|packing")], EQ_bizStep="shipping")
    assert both.parameters == {"EQ_bizStep": ["shipping"]}
    neither = question_of_url([("EQ_bizStep", "packing")], EQ_bizStep="shipping")
    assert neither.parameters == {"EQ_bizStep": []}


def test_prefixes_stand_in_a_context():
    found = question_of_url([("@context", '{"x": "https://x.example/"}'), ("EQ_x:a", "1")])
    assert found.parameters == {"@context": {"x": "https://x.example/"}, "EQ_x:a": ["1"]}


def test_controls_are_told_apart():
    found = question_of(
        {"EQ_action": ["ADD"], "orderBy": "eventTime", "eventCountLimit": 3, "perPage": 9}
    )
    assert found.controls == Controls("eventTime", True, 3, None)
    assert found.parameters == {"EQ_action": ["ADD"]}
    assert not question_of({"orderBy": "eventTime", "orderDirection": "ASC"}).controls.descending
    assert question_of({"maxEventCount": "7"}).controls.max_event_count == 7


def test_error_declarations_may_be_switched_off():
    assert question_of_url([("EXISTS_errorDeclaration", "false")]).parameters == {}
    assert question_of({"EXISTS_errorDeclaration": True}).parameters == {
        "EXISTS_errorDeclaration": True
    }


@pytest.mark.parametrize(
    "query",
    [
        {"orderBy": ""},
        {"orderBy": "bizStep"},
        {"orderBy": ["eventTime"]},
        {"orderBy": "eventTime", "orderDirection": "UP"},
        {"orderDirection": "ASC"},
        {"eventCountLimit": 3},
        {"orderBy": "eventTime", "eventCountLimit": 3, "maxEventCount": 3},
        {"maxEventCount": -1},
        {"maxEventCount": True},
        {"maxEventCount": 1.5},
        {"maxEventCount": "9" * 30},
    ],
)
def test_wrong_controls_are_refused(query):
    with pytest.raises(EpcisException) as caught:
        question_of(query)
    assert caught.value.as_json()["type"] == "epcisException:QueryParameterException"


def test_query_is_an_object():
    with pytest.raises(EpcisException, match="JSON object"):
        question_of(["EQ_action"])


def test_scalar_is_given_once():
    with pytest.raises(EpcisException, match="twice"):
        question_of_url([("GE_eventTime", "a"), ("GE_eventTime", "b")])


def test_page_is_bounded():
    assert read_page({}).per_page == 30
    assert read_page({"perPage": "999999"}).per_page == MAX_PER_PAGE
    for wrong in ("0", "-1", "x", ""):
        with pytest.raises(EpcisException):
            read_page({"perPage": wrong})


def test_long_uri_is_refused():
    require_short("/events?a=b")
    with pytest.raises(EpcisException) as caught:
        require_short("/events?" + "x" * 20_000)
    assert caught.value.kind.status == 414


def test_token_leads_back_to_its_place():
    place = PageCursor((5, 7), 90, 30)
    assert place_of(token_of(place, "q"), "q", int, int) == place
    named = PageCursor(("packing",), 0)
    assert place_of(token_of(named, "q"), "q", str) == named
    assert name_after(token_of(named, "q"), "q") == "packing"


@pytest.mark.parametrize(
    "place",
    [
        PageCursor((10**30,), 1),
        PageCursor((1,), 10**30),
        PageCursor((1,), -1),
        PageCursor((1,), 1, -1),
        PageCursor((1, 2), 1),
        PageCursor(("x",), 1),
    ],
)
def test_forged_token_is_refused(place):
    with pytest.raises(EpcisException) as caught:
        place_of(token_of(place, "q"), "q", int)
    assert caught.value.kind.status == 400


@pytest.mark.parametrize(
    "token", ["", "x", "bnVsbA", "W10", "W" * 9000, "é", "WzEsIngiLDEsMSxbXV0"]
)
def test_wrong_token_is_refused(token):
    with pytest.raises(EpcisException):
        place_of(token, "q")


def test_token_of_another_query_is_refused():
    with pytest.raises(EpcisException, match="another query"):
        place_of(token_of(PageCursor((1,), 1), "one"), "two")


def test_link_keeps_the_other_parameters():
    link = link_to("/epcis/events", [("EQ_bizStep", "a|b"), ("nextPageToken", "old")], "new")
    assert link == '</epcis/events?EQ_bizStep=a%7Cb&nextPageToken=new>; rel="next"'
