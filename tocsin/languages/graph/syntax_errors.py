"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tocsin.errors import Place, Problem, UnsupportedProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.texts import (
    SyntaxErrorContext,
    TerminalNames,
    find_hint,
    split_at_error,
    unexpected_problem,
)
from tocsin.languages.graph.foreign_syntax import hint_for_foreign_syntax

_WORDS = {
    "NAME": "a name",
    "HOME": "_:H",
    "VARIABLE": "a variable such as ?1",
    "IRIREF": "an IRI such as <http://x/y>",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "RELATION": "a comparison such as <",
    "MATCHES": "=~",
    "REGEX": "regex(...)",
    "OPEN": '"("',
    "LBRACE": '"{"',
    "RBRACE": '"}"',
    "_CLOSE": '")"',
    "_COMMA": '","',
    "_SEMICOLON": '";"',
    "_DOT": '"."',
    "_SLASH": '"/"',
    "PLUS": '"+"',
    "_OR": "||",
    "_AND": "&&",
    "NOT": "!",
    "A": "a",
    "PNAME_NS": "a prefix such as ex:",
    "LANGUAGE": "@en",
    "__ANON_0": "^^",
    "_PREFIX": "PREFIX",
    "_SELECT": "select",
    "_WHERE": "WHERE",
    "_OPTIONAL": "OPTIONAL",
    "_FILTER": "FILTER",
    "_NOT_EXISTS": "NOT EXISTS",
    END: "the end of the subscription",
}
_VOCABULARY = TerminalNames(
    _WORDS,
    frozenset(("BLANK", "BLANKS", "COMMENT", "PNAME", "TRUE", "FALSE")),
    end_last=False,
)

_ASK = "write ASK { ... } or select ?x { ... }"
_BEFORE_BRACES = {
    **{word: (word, _ASK) for word in ("CONSTRUCT", "DESCRIBE", "DISTINCT", "REDUCED")},
    "*": ("SELECT *", "name the variables: select ?1 ?2"),
}
_FUNCTION = ("a function", "a filter compares a variable with a value, or is regex(?x, ...)")
_UNSUPPORTED = (
    (r"(?i:union)\b", "UNION", "write one subscription for each alternative"),
    (r"(?i:minus)\b", "MINUS", "write FILTER NOT EXISTS { ... }"),
    (
        r"(?i:optional|filter\s+not\s+exists|not\s+exists)\b",
        "a group inside a group",
        "write the groups side by side",
    ),
    (r"(?i:bind|values|graph|service)\b", "", "leave it out: a pattern is about one event's graph"),
    (
        r"(?i:group|order|limit|offset|having)\b",
        "",
        "a subscription rings once for an event; there is nothing to sort",
    ),
    (
        r"(?i:count|sum|avg|min|max|sample|group_concat)\s*\(",
        "an aggregate",
        "compare single values instead",
    ),
    (r"(?i:\w+)\s*\(", *_FUNCTION),
    (r"[*^|]", "this property path", "paths are p/q and p+"),
    (r"\?(?!\w)", "this property path", "paths are p/q and p+"),
    (r"\[", "a blank node with its properties", "write a variable in its place"),
    (
        r"\{",
        "a group inside a group",
        "write the groups side by side, as OPTIONAL or FILTER NOT EXISTS",
    ),
)


_BARE = re.compile(r"(?i)\s*(?:prefix\s[^<>]*<[^<>]*>\s*)*(?:\?\w|_:)")
"""Beginning of triples without ASK and braces."""


def syntax_problem(text: str, found: Unexpected) -> Problem:
    """Return the problem of a text outside the grammar: an unsupported feature, or an error."""
    error = _GraphErrorContext(*split_at_error(text, found), found)
    place = Place.at(text, found.offset)
    if unsupported := error.unsupported:
        what, hint = unsupported
        return UnsupportedProblem(
            f"{what} is not served",
            code="UNSUPPORTED",
            place=place,
            token=found.token[:40],
            hint=hint,
        )
    hint = find_hint(error, _RULES)
    return unexpected_problem(
        text, found, "SYNTAX", _VOCABULARY.describe(found.expected), hint, "subscription"
    )


@dataclass(frozen=True, slots=True)
class _GraphErrorContext(SyntaxErrorContext):
    """Text around the error."""

    @property
    def unsupported(self) -> tuple[str, str] | None:
        """Unsupported SPARQL feature at the error, with a hint; None if there is no such feature.

        Before the braces only query forms such as CONSTRUCT count.
        """
        if not self.in_braces:
            first = next(iter(self.here.split(maxsplit=1)), "")
            return _BEFORE_BRACES.get(first.upper())
        if (
            self.here.startswith("(")
            and self.could_be("RELATION")
            and re.search(r"\w$", self.just_before)
        ):
            return _FUNCTION
        candidates = (self.last_word, self.here) if self.here.startswith("{") else (self.here,)
        for text in candidates:
            for pattern, what, hint in _UNSUPPORTED:
                if word := re.match(pattern, text):
                    return (what or word[0].upper(), hint)
        return None

    @property
    def in_braces(self) -> bool:
        """True while the SPARQL-like spelling is read, or right after its end."""
        return bool(_BARE.match(self.before)) or (
            "{" in self.before and bool(re.search(r"(?i)\b(?:ask|select)\b", self.before))
        )


def _structure(error: _GraphErrorContext) -> str:
    sign = error.here[:1]
    if sign in ("'", '"') and not error.found.terminal:
        return (
            'the text has no closing quote; quotes and backslashes inside it are written \\" and'
            " \\\\"
        )
    if not sign and error.could_be("_CLOSE"):
        return "a parenthesis is not closed"
    if not error.here.strip() and error.could_be("RBRACE"):
        return "a brace is not closed"
    if sign == ")" and error.could_be("_COMMA"):
        return (
            "a pattern is (subject, object, (class, property, class)), and a filter may follow; or"
            " (_:H, class)"
        )
    if sign == ")" and not error.could_be("RELATION"):
        return "this parenthesis was never opened, or something is missing before it"
    return ""


def _wrong_characters(error: _GraphErrorContext) -> str:
    sign = error.here[:1]
    if error.here.startswith("._:H"):
        return "write _:H"
    if re.match(r"\$|\?(?!\w)", error.here):
        return "a variable is a question mark and a name: ?1, ?price"
    if sign == "<":
        return 'an IRI has no blanks and none of <>"{}|^`\\'
    if error.could_be("RELATION"):
        return 'a filter compares: ?3 < 400.00, ?3 =~ "text", regex(?3, "text", "i")'
    if error.could_be("PNAME_NS"):
        return "declare a prefix as PREFIX ex: <http://example.org/>"
    return ""


def _forms(error: _GraphErrorContext) -> str:
    if error.in_braces:
        return (
            "triples are subject property object, with a dot between them: _:H :target ?1 . ?1 a"
            " :Computer ."
        )
    return "write (_:H, ?1, (Selling, target, Computer)), or ASK { _:H :target ?1 . }"


def _foreign_syntax(error: _GraphErrorContext) -> str:
    return hint_for_foreign_syntax(error, error.in_braces)


_RULES = (_structure, _foreign_syntax, _wrong_characters, _forms)
"""From the most to the least specific; the last one always has a hint."""
