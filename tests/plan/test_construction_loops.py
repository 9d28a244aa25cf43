"""`check` warns of documents that set themselves going again; where it says so, the hub shows it,
and elsewhere not.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tocsin
from tocsin.catalog import Subscription, compile_subscription
from tocsin.cli.main import app
from tocsin.plan.semantics.construction_loops import loops_in

LOOPS = [
    "WHERE <a><b>$x</></> CONSTRUCT <a><b>$x</></>",
    "WHERE <b>$x</> CONSTRUCT <o><p><b>$x</></></>",
    "WHERE <*>$x</> CONSTRUCT <o>$x</>",
    "WHERE <a k=$k></> CONSTRUCT <a k=$k></>",
    'WHERE <a k="1"></> CONSTRUCT <a k="1"></>',
    "WHERE <a><*><b>$x</></></> CONSTRUCT <a><c><b>$x</></></>",
    "WHERE <a><b></b></> ELEMENT_AS $e CONSTRUCT <o>$e</>",
    'WHERE XPATH "//a/b" CONTENT_AS $x CONSTRUCT <a><b>$x</></>',
    'WHERE XPATH "count(//b) > 0" CONSTRUCT <b></>',
    'WHERE XPATH "not(//c)" CONSTRUCT <b></>',
    "WHERE <a>$x</> #A <b>$x</> #B #A ; #B CONSTRUCT <b>$x</>",
]
ENDS = [
    "WHERE <a><b>$x</></> CONSTRUCT <o><b>$x</></>",
    "WHERE <a><b>$x</></> CONSTRUCT <b><a>$x</></>",
    'WHERE <a k="1"></> CONSTRUCT <a k="2"></>',
    "WHERE <a k=$k></> CONSTRUCT <a></>",
    "WHERE <a>1</> CONSTRUCT <a>2</>",
    "WHERE <a><*><b>$x</></></> CONSTRUCT <a><b>$x</></>",
    "WHERE <a><b>$x</></> ELEMENT_AS $e CONSTRUCT <o>$x</>",
    'WHERE XPATH "//a/b" CONTENT_AS $x CONSTRUCT <b>$x</>',
    'WHERE XPATH "count(//b) > 0" CONSTRUCT <c></>',
    "WHERE <a>$x</> <b>$y</> CONSTRUCT <b>$x</>",
    "WHERE <a>$x</> #A <b>$x</> #B #A ; #B CONSTRUCT <c>$x</>",
]
GIVEN = "<a k='1'>1<b>1</b><c><b>1</b></c></a>"


def loops(*texts: str) -> list[tuple[str, ...]]:
    given = {
        str(number): Subscription(str(number), "exmlql", text) for number, text in enumerate(texts)
    }
    return loops_in({id: compile_subscription(each) for id, each in given.items()})


@pytest.mark.parametrize("text", LOOPS)
def test_a_document_that_meets_its_own_where_is_told(text: str) -> None:
    assert loops(text) == [("0",)]


@pytest.mark.parametrize("text", ENDS)
def test_a_document_that_does_not_is_not(text: str) -> None:
    assert loops(text) == []


@pytest.mark.parametrize("text", [text for text in (*LOOPS, *ENDS) if "#A" not in text])
def test_what_really_goes_round_is_always_told(text: str) -> None:
    hub = tocsin.Hub()
    hub.subscribe(text, language="exmlql", id="0")
    event = {
        "id": "1",
        "source": "s",
        "type": "t",
        "datacontenttype": "application/xml",
        "data": GIVEN,
    }
    rung = hub.publish(event)
    if len(rung) > 1:
        assert loops(text)


def test_those_who_construct_for_each_other_are_told_once() -> None:
    one, other, third = (f"WHERE <{a}>$x</> CONSTRUCT <{b}>$x</>" for a, b in ("ab", "bc", "ca"))
    assert loops(one, other) == []
    assert loops(one, other, third) == [("0", "1", "2")]


def test_check_warns(tmp_path: Path) -> None:
    file = tmp_path / "subs.jsonl"
    bodies = [{"id": "again", "language": "exmlql", "expression": LOOPS[0]}]
    bodies += [{"id": "fine", "language": "exmlql", "expression": ENDS[0]}]
    file.write_text("\n".join(map(json.dumps, bodies)))
    done = CliRunner().invoke(app, ["check", str(file)])
    assert done.exit_code == 0
    (warning,) = [line for line in done.stderr.splitlines() if "warning" in line]
    assert "CONSTRUCT_LOOP: what 'again' constructs meets its own WHERE" in warning
    assert "another outermost element" in warning
