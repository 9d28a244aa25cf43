"""`tocsin explain --trace`: the algorithm at work, in words."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from tests.languages.selector.test_scenarios import BOOK_ON_JMS, LISTED
from tocsin.cli.main import app

TRACE = """\
list S
  Sub1: Publisher = 'QReilly' and Abstract LIKE '%JMS%' or Author = 'Jack' #
  Sub2: Price < 100 and Abstract LIKE '%JMS%' or Type = 'Computer' #
  Sub3: Publisher = 'OReilly' and Type = 'PDA' or Author = 'Jack' #
  Sub4: Price < 100 or Publisher = 'GReilly' or Abstract LIKE '%JMS%' #

event e
  Sub1
    evaluated  Publisher = 'QReilly'  F  row 1 of props
    skipped    Abstract LIKE '%JMS%'  F  F and settles it
    evaluated  Author = 'Jack'        T  row 2 of props
    result     T, it rings
  Sub2
    evaluated  Price < 100            F  row 3 of props
    skipped    Abstract LIKE '%JMS%'  F  F and settles it
    evaluated  Type = 'Computer'      F  row 4 of props
    result     not T, it does not ring
  Sub3
    evaluated  Publisher = 'OReilly'  T  row 5 of props
    evaluated  Type = 'PDA'           T  row 6 of props
    skipped    Author = 'Jack'        T  T or settles it
    result     T, it rings
  Sub4
    reused     Price < 100            F  row 3 of props
    evaluated  Publisher = 'GReilly'  F  row 7 of props
    evaluated  Abstract LIKE '%JMS%'  T  row 8 of props
    result     T, it rings
  table props
    1   Publisher = 'QReilly'  F
    2   Author = 'Jack'        T
    3   Price < 100            F
    4   Type = 'Computer'      F
    5   Publisher = 'OReilly'  T
    6   Type = 'PDA'           T
    7   Publisher = 'GReilly'  F
    8   Abstract LIKE '%JMS%'  T
  12 tests: 8 evaluated, 1 reused, 3 skipped
  matches: Sub1 Sub3 Sub4
"""


def written(folder: Path, *more: dict[str, object]) -> tuple[str, str]:
    lines = [
        {"id": key, "language": "selector", "expression": text} for key, text in LISTED.items()
    ]
    subscriptions, events = folder / "subscriptions.jsonl", folder / "events.jsonl"
    subscriptions.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *more]))
    events.write_text(
        json.dumps({"id": "e", "source": "/books", "type": "book", "data": BOOK_ON_JMS}) + "\n"
    )
    return str(subscriptions), str(events)


def test_the_papers_subscriptions(tmp_path: Path):
    subscriptions, events = written(tmp_path)
    result = CliRunner().invoke(app, ["explain", subscriptions, "--event", events, "--trace"])
    assert (result.exit_code, result.output) == (0, TRACE)


def test_signs_parentheses_and_what_is_no_selector(tmp_path: Path):
    one = {
        "id": "n",
        "language": "selector",
        "expression": "(NOT Price = 100 OR x = 1) AND Author <> 'Tom'",
    }
    other = {"id": "c", "language": "opsl", "expression": "|(ARITH: Price = 100)(ARITH: Price = 7)"}
    subscriptions, events = written(tmp_path, one, other)
    result = CliRunner().invoke(app, ["explain", subscriptions, "--event", events, "--trace"])
    assert result.exit_code == 0, result.output
    assert "  n: Author <> 'Tom' and (Price <> 100 or x = 1) #" in result.output
    assert "because they are no boolean selectors: c" in result.output
    assert "evaluated  Price <> 100           F  row 10 of props, negated" in result.output
    assert "evaluated  x = 1                  U  row 11 of props" in result.output
    chosen = CliRunner().invoke(
        app, ["explain", subscriptions, "--event", events, "--trace", "--id", "Sub1"]
    )
    assert "Sub2" not in chosen.output


def test_without_an_event_there_is_nothing_to_trace(tmp_path: Path):
    subscriptions, _ = written(tmp_path)
    result = CliRunner().invoke(app, ["explain", subscriptions, "--trace"])
    assert result.exit_code == 2
    assert "--event" in result.output
