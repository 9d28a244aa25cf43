"""What the demo shows: the board in a window of any size, page by page, and as plain lines."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from rich.console import Console
from tocsin_demo.auction import CHEAP
from tocsin_demo.board import Board, Rung
from tocsin_demo.composites import RULES, rule_lines
from tocsin_demo.plain import PlainLines
from tocsin_demo.screen import Screen
from tocsin_demo.story import DAY, MIDNIGHT
from tocsin_demo.subscriptions import from_the_start
from tocsin_demo.summary import document_lines, show_summary, summary_lines
from tocsin_demo.tours import FALLS_OUT, LEAVES

from tocsin.catalog import Subscription

HOUR = 3_600_000_000


def a_board() -> Board:
    board = Board()
    board.started(from_the_start(), version=1)
    board.rang(
        Rung(
            0, MIDNIGHT + HOUR, 1, 1_000, {"fraud": 3}, {"fraud": "00:59 O-1"}, malformed=2, late=0
        ),
        1.0,
    )
    board.added(Subscription("newcomer", "selector", "a = 1"), MIDNIGHT + HOUR, 2)
    board.removed("dangerous", MIDNIGHT + HOUR, 3)
    board.rang(
        Rung(
            1, MIDNIGHT + 2 * HOUR, 3, 1_000, {"fraud": 1, "newcomer": 5}, {}, malformed=1, late=4
        ),
        4.0,
    )
    return board


def drawn(board: Board, width: int, height: int, seconds: float = 0.0) -> list[str]:
    out = StringIO()
    console = Console(file=out, width=width, height=height, color_system=None, force_terminal=True)
    console.print(Screen(board, clock=lambda: seconds))
    return out.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 40), (120, 60), (200, 100)])
def test_a_picture_fits_its_window(width: int, height: int) -> None:
    lines = drawn(a_board(), width, height)
    assert len(lines) <= height
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("height", [24, 30, 80])
def test_the_pages_show_every_subscription(height: int) -> None:
    board = a_board()
    shown = "\n".join(
        line for turn in range(40) for line in drawn(board, 100, height, seconds=4.0 * turn)
    )
    assert all(id_ in shown for id_ in board.rows)


def test_the_picture_tells_clock_batch_version_and_changes() -> None:
    shown = "\n".join(drawn(a_board(), 120, 60))
    for words in (
        "02:00",
        "micro-batch 1",
        "catalog version 3",
        "+ 01:00 added 'newcomer' (version 2)",
    ):
        assert words in shown
    assert "- 01:00 removed 'dangerous' (version 3)" in shown


def test_newcomers_come_first_and_the_removed_last() -> None:
    order = [row.subscription.id for row in a_board().rows_in_order()]
    assert order[0] == "newcomer"
    assert order[-1] == "dangerous"


def test_counts_add_up_over_micro_batches() -> None:
    board = a_board()
    assert (board.events, board.matches, board.late, board.dead_letters) == (1_997, 9, 4, 7)
    assert board.rows["fraud"].rings == 4
    assert board.rows["fraud"].last == "00:59 O-1"
    assert board.rate == pytest.approx((1_997 - 998) / 3)
    assert board.live == len(from_the_start())


def test_plain_lines_tell_each_thing_once() -> None:
    board = a_board()
    teller = PlainLines(board)
    assert teller.phases() == ["starting ..."]
    first = teller.lines()
    assert [line[:2] for line in first[:2]] == ["+ ", "- "]
    assert "1,997 events" in first[2]
    assert teller.lines() == []
    board.rang(Rung(2, MIDNIGHT + DAY, 3, 10, {}, {}, 0, 0), 5.0)
    assert [line[:5] for line in teller.lines()] == ["24:00"]


def test_plain_lines_name_every_combination_that_rang() -> None:
    board = a_board()
    teller = PlainLines(board)
    assert not [line for line in teller.lines() if line.startswith("*")]
    for batch, rings in ((2, 3), (3, 2)):
        board.rang(
            Rung(batch, MIDNIGHT + DAY, 3, 0, {LEAVES: rings}, {LEAVES: "05:30 truck-1"}, 0, 0), 5.0
        )
        assert teller.lines()[0] == f"* {LEAVES} rang {rings} x, last: 05:30 truck-1"
    assert "  of several     5 of 1 that combine events" in list(summary_lines(board, 9.0, None))


def test_rare_bells_are_on_the_first_page() -> None:
    shown = "\n".join(drawn(a_board(), 120, 24))
    assert all(each.id in shown for each in from_the_start() if each.language != "selector")


def test_plain_lines_name_rare_bells_that_are_about_one_event() -> None:
    board = a_board()
    teller = PlainLines(board)
    teller.lines()
    board.rang(Rung(2, MIDNIGHT + DAY, 3, 0, {CHEAP: 1}, {CHEAP: "08:00 Laptop"}, 0, 0), 5.0)
    assert teller.lines()[0] == f"* {CHEAP} rang 1 x, last: 08:00 Laptop"
    assert "  of several     0 of 0 that combine events" in list(summary_lines(board, 9.0, None))


def test_the_end_shows_the_newest_document_on_any_console() -> None:
    board = a_board()
    for number, document in ((2, "<settlement><order>1</order></settlement>"), (3, "")):
        board.rang(Rung(number, MIDNIGHT + DAY, 3, 0, {}, {}, 0, 0, document), 5.0)
    for terminal in (False, True):
        out = StringIO()
        show_summary(
            board,
            Console(file=out, width=80, color_system=None, force_terminal=terminal),
            9.0,
            None,
        )
        assert out.getvalue().endswith("<settlement>\n  <order>1</order>\n</settlement>\n")


def test_without_a_document_the_end_is_the_counts() -> None:
    assert list(document_lines(a_board().document)) == []


def test_the_summary_has_every_count() -> None:
    text = "\n".join(summary_lines(a_board(), total_seconds=9.0, kept=None))
    for words in (
        "events           1,997",
        "matches          9",
        "late             4",
        "dead letters     7",
    ):
        assert words in text
    assert "events/second    333 " in text


def test_the_summary_says_whether_the_day_was_cut_short() -> None:
    board = a_board()
    assert "cut short" in next(summary_lines(board, 9.0, None))
    board.rang(Rung(2, MIDNIGHT + DAY, 3, 10, {}, {}, 0, 0), 5.0)
    assert "cut short" not in next(summary_lines(board, 9.0, None))


def test_before_the_first_micro_batch_both_say_what_is_being_done() -> None:
    board = Board()
    teller = PlainLines(board)
    board.doing("loading PySpark")
    board.doing("starting Spark")
    assert teller.lines() == ["starting ...", "loading PySpark ...", "starting Spark ..."]
    assert teller.lines() == []
    began = board.phases[-1][1]
    assert any(
        "starting Spark ... 7 s" in line for line in drawn(board, 100, 40, seconds=began + 7.2)
    )


def test_no_plain_line_is_wider_than_100_columns() -> None:
    board = a_board()
    board.doing("x" * 200)
    rings = dict.fromkeys(("fraud", LEAVES), 1_234_567)
    board.rang(
        Rung(123_456, MIDNIGHT + DAY, 999, 9_999_999, rings, {LEAVES: "y" * 200}, 99_999, 99_999),
        5.0,
    )
    lines = [*PlainLines(board).lines(), *summary_lines(board, 12_345.0, None)]
    assert max(map(len, lines)) <= 100
    assert any(line.endswith("...") for line in lines)


def test_composites_are_asked_for_in_words_and_rules_as_they_are_written() -> None:
    rows = a_board().rows
    rules = {each.id for each in RULES}
    others = [row for id_, row in rows.items() if row.is_composite and id_ not in rules]
    assert FALLS_OUT in {row.subscription.id for row in others}
    assert all(re.fullmatch(r"[\w ,]+", row.question) for row in others)
    assert all(rows[each.id].question == each.expression for each in RULES)
    shown = "\n".join(drawn(a_board(), 200, 100))
    assert "WHEN Truck LEAVES Warehouse FOR EACH truck" in shown
    assert "trucks of a convoy get more than 2 km apart" in shown


def test_rules_come_first_and_are_told_whole() -> None:
    assert [each.id for each in from_the_start()][: len(RULES)] == [each.id for each in RULES]
    for line, rule in zip(rule_lines(), RULES, strict=True):
        assert line.split(maxsplit=1) == [rule.id, rule.expression]
        assert len(line) <= 100


def test_every_page_is_of_one_length() -> None:
    assert len({len(drawn(a_board(), 100, 24, seconds=4.0 * turn)) for turn in range(5)}) == 1
