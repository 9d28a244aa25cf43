"""What takes too much is given up and told, by counted work; the other subscriptions and events are
served.
"""

from __future__ import annotations

from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tests.engine.xml.worlds import xml_event
from tocsin.catalog import Subscription, compile_subscription
from tocsin.engine.xml import block_rows as relations
from tocsin.plan.xml import construction
from tocsin.plan.xml.row_evaluation import MAX_TEXT
from tocsin.reference import matches
from tocsin.runtime.finite_run import Input, match_events

PLAIN = "WHERE <a></>"
LONG = f"<a><t>{'x' * 2000}</t></a>"
DOUBLED = "concat($t, $t, $t, $t, $t, $t, $t, $t, $t, $t)"
HUGE = f'replace({DOUBLED}, "x", concat($t, $t))'
DEEP = "<a>" * 120 + "<b/>" + "</a>" * 120


def event(name: str, xml: str) -> dict[str, Any]:
    return event_json(name, second=0, content_type="application/xml", data=xml)


def told(text: str, xml: str, code: str = "LIMIT", by_meaning: bool = True) -> str:
    """The reason of the one dead letter; the plain subscription rings, and so does the next event.

    What is limited by its meaning, and not by the steps of the engine, is no match for the
    reference either.
    """
    hub = tocsin.Hub()
    hub.subscribe(text, language="exmlql", id="hard")
    hub.subscribe(PLAIN, language="exmlql", id="plain")
    found = hub.publish(event("1", xml)) + hub.publish(event("2", "<a/>"))
    assert [(match.subscription, match.events) for match in found] == [
        ("plain", ("1",)),
        ("plain", ("2",)),
    ]
    (letter,) = hub.dead_letters
    assert letter.code == code
    assert '"id": "1"' in letter.input
    plan = compile_subscription(Subscription("hard", "exmlql", text))
    given = Input([xml_event(xml)])
    assert match_events({"hard": plan}, given) == []
    if by_meaning:
        assert matches("hard", plan, given.events) == []
    assert [each.code for each in given.dead_letters] == [code]
    return letter.reason


def test_a_value_that_is_too_long_in_a_condition() -> None:
    assert "hard" in told(f"WHERE <t>$t</>, length({HUGE}) > 1", LONG)


def test_a_value_that_is_too_long_in_a_template() -> None:
    reason = told(f"WHERE <t>$t</> CONSTRUCT <o>{HUGE}</>", LONG)
    assert f"{MAX_TEXT:,} characters" in reason


def test_what_comes_out_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(construction, "MAX_OUTPUT", 1000)
    assert "1,000 characters" in told("WHERE <t>$t</> CONSTRUCT <o>$t</>", LONG)


def test_what_is_built_takes_too_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(construction, "MAX_STEPS", 100)
    xml = f"<a>{''.join(f'<t>{n}</t>' for n in range(8))}</a>"
    nested = "WHERE <t>$x</> CONSTRUCT <o>WHERE <t>$y</> CONSTRUCT <p>WHERE <t>$z</> CONSTRUCT <q>$x $y $z</></></>"
    assert "100 steps" in told(nested, xml)


def test_a_block_with_too_many_rows_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "LIMIT", 500)
    xml = f"<a>{''.join(f'<t>{n}</t>' for n in range(30))}</a>"
    told("WHERE <t>$x</> <t>$y</>, $x = $y", xml, by_meaning=False)


def test_paths_over_a_deep_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "LIMIT", 5_000)
    told("WHERE <$*><$*><$*><b></></></></>", DEEP, by_meaning=False)


def test_nested_paths_are_counted_once_for_each_element() -> None:
    """Ten paths in each other over 120 levels: tried by every mapping they would take more than
    10^15 steps.
    """
    text = "WHERE " + "<$*>" * 10 + "<b>$x</>" + "</>" * 10
    hub = tocsin.Hub()
    hub.subscribe(text, language="exmlql", id="s")
    assert [match.events for match in hub.publish(event("1", DEEP))] == [("1",)]
    assert not hub.dead_letters


def test_a_name_that_is_none() -> None:
    assert "no XML name" in told(
        "WHERE <t>$t</> CONSTRUCT <$t></>", "<a><t>1 2</t></a>", "NotAnXmlName"
    )
    assert "attribute" in told(
        'WHERE <t>$t</> CONSTRUCT <o $t="u"></>', "<a><t>xmlns</t></a>", "NotAnXmlName"
    )


def test_a_part_of_a_composite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(construction, "MAX_OUTPUT", 1000)
    hub = tocsin.Hub(lateness="0s")
    hub.subscribe(
        "WHERE <t>$t</> #A <b></> #B #A ; #B CONSTRUCT <o>$t</>", language="exmlql", id="hard"
    )
    hub.subscribe("WHERE <t>$t</> #A <b></> #B #A ; #B ~> #B", language="exmlql", id="plain")
    hub.publish(event("1", LONG), {**event("2", "<b/>"), "time": "2026-01-01T00:00:05Z"})
    found = hub.advance_to("2026-01-01T00:01:00Z")
    assert [match.subscription for match in found] == ["plain"]
    (letter,) = hub.dead_letters
    assert (letter.code, "hard" in letter.reason) == ("LIMIT", True)
    assert letter.input == '[{"source": "s", "id": "1"}, {"source": "s", "id": "2"}]'


def many(name: str, count: int, value: str = "{}") -> str:
    return "".join(f"<{name}>{value.format(n)}</{name}>" for n in range(count))


NESTED = "<a>" * 80 + many("a", 1_000) + "</a>" * 80
BOMBS = {
    "names of attributes": (
        "WHERE <a $n=$x $m=$y $o=$z></>",
        "<a " + " ".join(f'a{n}="{n}"' for n in range(300)) + "/>",
    ),
    "rows that are all alike": (
        "WHERE <a><b>$x</><c>$y</><d>$z</></>",
        f"<a>{many('b', 100)}{many('c', 100)}{many('d', 1_000, 'same')}</a>",
    ),
    "paths in paths": ("WHERE <a*><a*><a*>$x</></></>", NESTED),
    "copies of copies": ("WHERE <a>$x</>", "<a>" * 80 + many("a", 9_000) + "</a>" * 80),
    "conditions": (
        "WHERE <a><b>$x</></>" + ", $x >= 0" * 300,
        f"<a>{many('b', 10_000)}</a>",
    ),
    "functions of a long value": (
        "WHERE <a>$t</>, <b>$x</>, length(upper($t)) < $x",
        f"<a>{many('b', 2_000)}</a>",
    ),
    "documents in values": (
        "WHERE <b>$x</>, <c>$y</> IN $x",
        f"<a>{many('b', 8_000, '<c>{}</c>')}</a>",
    ),
    "functions in a template": (
        "WHERE <a>$t</>, <b>$x</> CONSTRUCT <o>length(upper($t))</>",
        f"<a>{many('b', 2_000)}</a>",
    ),
    "elements of a template": (
        f"WHERE <a><b>$x</></> CONSTRUCT <o>{'<p>$x</>' * 300}</>",
        f"<a>{many('b', 1_000)}</a>",
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_is_copied_asked_or_built_is_counted_before_it_is_done(bomb: str) -> None:
    """Each took 2 to 94 s, and names of attributes 3.7 GB."""
    text, xml = BOMBS[bomb]
    hub = tocsin.Hub()
    hub.subscribe(text, language="exmlql", id="hard")
    hub.subscribe(PLAIN, language="exmlql", id="plain")
    assert [match.subscription for match in hub.publish(event("1", xml))] == ["plain"]
    (letter,) = hub.dead_letters
    assert letter.code == "LIMIT"
