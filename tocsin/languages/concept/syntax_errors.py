"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion.

Syntax borrowed from other languages has hints of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tocsin.errors import MeaningProblem, Place, Problem, SyntaxProblem
from tocsin.knowledge.concepts.axioms import RESERVED
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.texts import (
    CURLY_QUOTES,
    SyntaxErrorContext,
    TerminalNames,
    find_hint,
    nearest,
    show_token,
    split_at_error,
    unexpected_problem,
)

# Syntax borrowed from other languages.

_LENGTH = re.compile(r"[(\[]?\s*(\d+(?:\.\d+)?\s*[A-Za-z]*|P[\dTDHMSW.]+)\s*[)\]]?")
_RELATION = re.compile(
    r"(Before|After|Meets|MetBy|Overlaps|OverlappedBy|Starts|StartedBy|During"
    r"|Contains|Finishes|FinishedBy|Equals)\s*$"
)
_WITHIN = re.compile(r"(?i:within|in|for)\s+(\d+\s*[A-Za-z]*|P\w+)")
_SOLE = re.compile(r"(?:\bby|,)\s+one\s+\S+$")
_LENGTH_HERE = (
    "a relation has no length; what stays away for a while is A Before not (B) (48 h anchored)"
)


def hint_for_foreign_syntax(error: SyntaxErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return find_hint(error, _FOREIGN_RULES)


def _quotes(error: SyntaxErrorContext) -> str:
    here = error.here[:1]
    if here and here in CURLY_QUOTES:
        return 'a name stands without quotes, and a text in straight ones: (xsd:string = "abc")'
    return ""


def _ends(error: SyntaxErrorContext) -> str:
    """Return a hint for comments and end marks."""
    if error.here.startswith(("//", "--", "/*")):
        return "a comment begins with # and ends with its line"
    if error.here.strip() == ";" and not error.could_be("_END"):
        return "leave ; out: it ends an axiom of a .tbox file, and this is a subscription"
    if error.here.startswith("?"):
        return "there are no variables; correlate by epcList joins events that share a value"
    return ""


def _lengths(error: SyntaxErrorContext) -> str:
    """Return a hint for `A Before(5 min) B` and `A & not B within 48h`."""
    if _RELATION.search(error.just_before.removesuffix("(")) and _LENGTH.match(error.here):
        return _LENGTH_HERE
    if re.search(r"(?:Before|After)\s*\(\s*P[\dTDHMSW.]+\s*\)$", error.just_before):
        return _LENGTH_HERE
    found = _WITHIN.match(error.here)
    return (
        f"write A Before not (B) ({found[1]} anchored)"
        if found and error.could_be("TEMPORAL")
        else ""
    )


def _relations(error: SyntaxErrorContext) -> str:
    """Return a hint for a relation such as `After` without one of its sides."""
    word = re.match(r"\w+", error.here)
    if word and _RELATION.match(word[0]) and error.could_be("NOT"):
        return f"{word[0]} stands between two parts: A {word[0]} B"
    if not error.here and _RELATION.search(error.just_before):
        return (
            f"{error.last_word} stands between two parts, and the second one is missing: A"
            f" {error.last_word} B"
        )
    return ""


def _roles(error: SyntaxErrorContext) -> str:
    """Return a hint for `bizStep = shipping` and `bizStep.shipping`."""
    role, value = error.last_word, re.match(r"\s*(=|\.|:|is\b)\s*[\"']?([^\W\d][\w-]*)", error.here)
    if role and value and (error.could_be("TEMPORAL") or error.could_be("_DOT")):
        exists = "" if re.search(r"(?:exists|forall)\s+[\w:-]+$", error.just_before) else "exists "
        if value[1] != "." or exists:
            one_of = f"exists {role}.{{{value[2]}}}"
            return (
                f"a role leads to a concept: exists {role}.{value[2]}, or {one_of} for one of a"
                " list"
            )
    return ""


def _correlations(error: SyntaxErrorContext) -> str:
    if error.here.startswith("correlate") and error.before.endswith(("&", "|", "and", "or", ",")):
        return (
            "correlate by stands at the very end, after the last part: A Before B correlate by"
            " epcList"
        )
    if error.here.startswith("=") and _SOLE.search(error.just_before):
        return "one is said of a role that all parts have: correlate by one parentID"
    return ""


_FOREIGN_RULES = (_quotes, _ends, _lengths, _relations, _correlations, _roles)
"""From the most to the least specific."""


_WORDS = {
    "NAME": "a name",
    "IRI": "a name",
    "NUMBER": "a number",
    "TEXT": "a text in quotes",
    "OPERATOR": "a comparison such as =",
    "DURATION": "a duration such as PT1H",
    "TEMPORAL": "a relation such as Before",
    "BOTH": "&",
    "_EITHER": "|",
    "_OPEN": '"("',
    "_CLOSE": '")"',
    "OPEN_SET": '"{"',
    "_CLOSE_SET": '"}"',
    "_COMMA": '","',
    "_DOT": '"."',
    "_AND": "and",
    "_OR": "or",
    "_CORRELATE": "correlate by",
    "_BY": "by",
    "_END": '";"',
    "DEFINES": ":=",
    "SPECIALISES": "<:",
    "IS": "=",
    "ANCHORED": "anchored",
    END: "the end",
}
_QUANTIFIERS = ("exists", "some", "forall", "all")
_LONG_QUANTIFIERS = ("exists", "forall")
_NEAR_QUANTIFIER = dict.fromkeys(("any", "has", "having", "with"), "exists")
_NEAR_QUANTIFIER |= dict.fromkeys(("every", "each", "only", "for", "foreach"), "forall")
_NEAR_RELATION = {
    **dict.fromkeys(("then", "precedes", "earlier", "until"), "Before"),
    **dict.fromkeys(("follows", "later", "since"), "After"),
    **dict.fromkeys(("within", "in", "inside"), "During"),
    **dict.fromkeys(("includes", "around"), "Contains"),
    **dict.fromkeys(("equal", "same"), "Equals"),
}
"""Words that users write in place of words of the language."""
_SAME_CASE = {word.lower(): word for word in RESERVED}
_CONCEPT = frozenset("NOT FORALL EXISTS NAME IRI TOP BOTTOM OPEN_SET _OPEN".split())
_VOCABULARY = TerminalNames(
    _WORDS, frozenset(("BLANK", "COMMENT", "EMBEDDED", "_ONE")), ((_CONCEPT, "a concept"),)
)
_TIMED = re.compile(r"\(\s*(?:[+-]?\d[\d.]*\s*[A-Za-z]*|[+-]?P[\w.]*)\s*(?:anchored\s*)?\)")


def syntax_problem(text: str, found: Unexpected) -> Problem:
    """Return the problem of a text that is not in the grammar."""
    error = _ConceptErrorContext(*split_at_error(text, found), found)
    place = Place.at(text, found.offset)
    if special := _special(error, place):
        return special
    hint = find_hint(error, _RULES)
    return unexpected_problem(text, found, "SYNTAX", _VOCABULARY.describe(found.expected), hint)


@dataclass(frozen=True, slots=True)
class _ConceptErrorContext(SyntaxErrorContext):
    """Text around the error."""

    @property
    def word(self) -> str:
        """Word at the error, or ""."""
        found = re.match(r"[^\W\d][\w-]*", self.here)
        return found[0] if found else ""


def _special(error: _ConceptErrorContext, place: Place) -> Problem | None:
    """Return the problem of a text outside the grammar that has its own code; None otherwise."""
    if _TIMED.match(error.here) and not error.could_be("_OPEN"):
        return SyntaxProblem(
            "only a whole part in parentheses, or a name, is negated over time",
            code="LEVEL",
            place=place,
            token="(",
            hint=(
                "write not (A and B) (PT1H), and use it with &, | and the relations in time, not"
                " inside a concept"
            ),
        )
    if error.could_be("DURATION"):
        return MeaningProblem(
            f"{show_token(error.found.token) or 'nothing'} is no duration",
            code="DURATION",
            place=place,
            token=error.found.token[:40],
            hint="write a number and its unit, as 30 min, or PT30M",
        )
    if (
        error.word in RESERVED
        and not error.could_be("_AND", "_DOT")
        and error.could_be("NAME")
        and _begins_axiom(error)
    ):
        return MeaningProblem(
            f"{error.word!r} is a reserved word",
            code="TBOX_RESERVED",
            place=place,
            token=error.word,
            hint="choose another name for the concept",
        )
    return None


def _begins_axiom(error: _ConceptErrorContext) -> bool:
    return re.match(r"[\w-]+\s*(?::=|≡|<:|⊑|=)", error.here) is not None


def _quantifiers(error: _ConceptErrorContext) -> str:
    if error.could_be("_DOT"):
        return "a role is followed by a dot and a concept: exists bizStep.transporting"
    if re.search(r"(?:forall|all|exists|some|∀|∃)$", error.just_before):
        return (
            "a quantifier is followed by a role, a dot and a concept: exists bizStep.transporting"
        )
    if error.last_word.lower() == "for" and error.word.lower() == "all":
        return "did you mean forall?"
    if error.word in _QUANTIFIERS and error.last_word:
        return f"the quantifier comes first: {error.word} {error.last_word}.transporting"
    return ""


def _misspelt_words(error: _ConceptErrorContext) -> str:
    """Return a hint for a misspelt keyword that was read as a name: `exist r`, `NOT A`."""
    if not error.word or not error.could_be("TEMPORAL"):
        return ""
    word, is_role = error.last_word.lower(), re.match(r"[\w:-]+\s*[.(]", error.here)
    meant = _SAME_CASE.get(word) or (_NEAR_QUANTIFIER.get(word) if is_role else None)
    meant = meant or nearest(word, _QUANTIFIERS if is_role else _LONG_QUANTIFIERS, 0.7)
    return f"did you mean {meant}?" if meant and meant != error.last_word else ""


def _words(error: _ConceptErrorContext) -> str:
    if error.word not in RESERVED and (meant := _SAME_CASE.get(error.word.lower())):
        return (
            f"write {meant}, in these letters"
            if meant[:1].isupper()
            else f"write {meant} in small letters"
        )
    if error.word and error.could_be("TEMPORAL"):
        meant = _NEAR_RELATION.get(error.word.lower()) or nearest(
            error.word, sorted(RESERVED), 0.75
        )
        return (
            f"did you mean {meant}?"
            if meant
            else "join two concepts with and, or, &, | or a relation such as Before"
        )
    if error.word in RESERVED and error.could_be("NAME"):
        return f"{error.word} is a reserved word; it cannot be a name"
    return ""


def _signs(error: _ConceptErrorContext) -> str:
    doubled = {"&&": "&", "||": "|", "==": "="}.get(error.before[-1:] + error.here[:1])
    if doubled:
        return f"write {doubled} once"
    if error.here.startswith(("'", '"')):
        return 'a text stands in double quotes and only as a value: (xsd:string = "abc")'
    if error.here.startswith(")") and error.could_be(END):
        return "this parenthesis was never opened"
    if not error.here and error.could_be("_CLOSE"):
        return "a parenthesis is not closed"
    if not error.here and error.could_be("_CLOSE_SET"):
        return "a brace is not closed"
    if error.could_be("_CLOSE_SET"):
        return "an enumeration is names with commas between them: {railCarrying, roadCarrying}"
    return ""


def _values(error: _ConceptErrorContext) -> str:
    if error.could_be("NUMBER"):
        return "compare with a number, a text in double quotes or a name: (xsd:int < 5)"
    if error.here[:1] in ("<", ">", "=", "!", "≤", "≥", "≠") and not error.could_be("OPERATOR"):
        return "values are compared inside parentheses: exists quantity.(xsd:int < 5)"
    if error.could_be("_BY") or (error.last_word == "by" and error.could_be("NAME")):
        return "correlate is followed by by and roles: correlate by epcList"
    return ""


def _forms(error: _ConceptErrorContext) -> str:
    if error.could_be("DEFINES"):
        return (
            "an axiom is name := concept, name <: concept or name = {a, b}, and ends with a"
            " semicolon"
        )
    if error.could_be("_END"):
        return "an axiom ends with a semicolon"
    return "write a concept such as TransactionEvent and exists bizStep.transporting"


_RULES = (hint_for_foreign_syntax, _quantifiers, _misspelt_words, _words, _signs, _values, _forms)
"""From the most to the least specific; the last one always has a hint."""
