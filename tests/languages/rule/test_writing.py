"""Written down and read again a rule is the same, whatever it says."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.languages.rule.trees import RULES
from tocsin.languages.rule.printer import print_rule, write_lines
from tocsin.languages.rule.syntax import RuleSyntax
from tocsin.languages.rule.transformer import RuleLimits, read


@given(RULES)
def test_a_tree_written_down_and_read_again_is_the_same(rule: RuleSyntax) -> None:
    assert read(print_rule(rule), RuleLimits()) == rule
    assert read(write_lines(rule), RuleLimits()) == rule


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("when a then b within 5 minutes", "WHEN a THEN b WITHIN 5m"),
        ("WHEN (a) THEN ((b))", "WHEN a THEN b"),
        ("WHEN a OR b AND c", "WHEN a OR b AND c"),
        ("WHEN (a OR b) AND c", "WHEN (a OR b) AND c"),
        ("WHEN a AND b THEN c", "WHEN a AND b THEN c"),
        ("WHEN a -- a comment, it's one\nTHEN b", "WHEN a THEN b"),
        ("WHEN a x 3 + WITHIN PT1H30M", "WHEN a x3+ WITHIN 90m"),
        ("WHEN a X2 .. 4 WITHIN 60s", "WHEN a x2..4 WITHIN 1m"),
        ("WHEN `count`(x != 1)", "WHEN `count`(x != 1)"),
        ("WHEN r BECOMES v > 8 AND w < 3 FOR EACH k", "WHEN r BECOMES v > 8 AND w < 3  FOR EACH k"),
        ("WHEN (r BECOMES v > 8) AND w", "WHEN (r BECOMES v > 8) AND w"),
        ("WHEN a FOR EACH x, y[*] WHERE a.x != -3", "WHEN a  FOR EACH x, y[]  WHERE a.x <> -3"),
        (
            "WHEN a RING ON CHANGE FOR EACH b.c HORIZON 2d POLICY recent",
            "WHEN a  FOR EACH b.c  RING ON CHANGE  POLICY recent  HORIZON 2d",
        ),
        ("WHEN SUM(`x.y`.z) > 1e3 OVER 1d", "WHEN SUM(`x.y`.z) > 1000.0 OVER 1d"),
        ("WHEN AVG(x.y.z) > 1 OVER 1d", "WHEN AVG(x.y.z) > 1 OVER 1d"),
        ("WHEN a NOT  MET  BY b", "WHEN a NOT MET BY b"),
    ],
)
def test_every_rule_has_one_spelling(text: str, canonical: str) -> None:
    rule = read(text, RuleLimits())
    assert print_rule(rule) == canonical
    assert read(canonical, RuleLimits()) == rule
