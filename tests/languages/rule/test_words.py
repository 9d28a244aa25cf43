"""Every word of the grammar is known wherever words are told apart from names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tocsin.languages.rule
from tocsin.languages.rule.printer import print_rule
from tocsin.languages.rule.syntax import EventAtom, RuleSequence, RuleSyntax, SequenceStep
from tocsin.languages.rule.transformer import RuleLimits, read

ROOT = Path(__file__).resolve().parents[3]
GRAMMAR = Path(tocsin.languages.rule.__file__).with_name("grammar.lark").read_text()
TERMINALS = re.findall(r"^_?[A-Z_]+\.\d: /(.*)/i?$", GRAMMAR, re.MULTILINE)
WORDS = sorted(
    {word for regex in TERMINALS for word in re.findall(r"(?<![\\\w])[a-z]{2,}", regex)} - {"multi"}
)


def words_of_editor() -> set[str]:
    """The words of rules that the editor of the console shows as such."""
    source = (ROOT / "console/src/editor/languages.ts").read_text()
    own = source[source.index("  rule: {") : source.index("  selector: {")]
    return set(" ".join(re.findall(r"split\(\s*`([^`]*)`", own)).lower().split())


@pytest.mark.parametrize("word", WORDS)
def test_a_type_that_is_called_as_a_word_is_read_as_it_was_written(word: str) -> None:
    plain, met = EventAtom(word), EventAtom(word, "v = 1")
    for atom in (plain, met):
        rule = RuleSyntax(
            RuleSequence(
                (SequenceStep(atom), SequenceStep(atom, absent=True), SequenceStep(EventAtom("a")))
            )
        )
        assert read(print_rule(RuleSyntax(atom)), RuleLimits()) == RuleSyntax(atom)
        assert read(print_rule(rule), RuleLimits()) == rule


def test_the_editor_knows_every_word() -> None:
    assert set(WORDS) - words_of_editor() == set()
