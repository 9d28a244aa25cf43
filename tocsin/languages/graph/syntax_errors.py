"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion.

Syntax borrowed from SPARQL, Turtle and other languages has hints of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tocsin.errors import Place, Problem, UnsupportedProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.texts import (
    CURLY_QUOTES,
    SyntaxErrorContext,
    TerminalNames,
    find_hint,
    split_at_error,
    unexpected_problem,
)

# Syntax borrowed from SPARQL, Turtle and other languages.

_BEGINS_TRIPLE = re.compile(r"(?:_:\w|\?\w|<|[\w-]*:[\w-])")
_TRIPLE = re.compile(r"(\S+)\s+(\S+)\s+([^\s.;}]+)")
_FILTER = re.compile(
    r"(?:(?i:filter|where|and|if|having)\s*|[|&,]+\s*)?\(?\s*"
    r"(\?\w+\s*(?:<=|>=|!=|=~|=|<|>)\s*[^\s)]+)"
)
_STATEMENT = "(_:H, ?1, (Selling, target, Computer))"


def hint_for_foreign_syntax(error: SyntaxErrorContext, in_braces: bool) -> str:
    """Return a hint for syntax borrowed from another language, or "".

    `in_braces`: the SPARQL-like spelling is being read.
    """
    rules = _IN_BRACES if in_braces else _IN_STATEMENTS
    return find_hint(error, (_characters, *rules))


def _characters(error: SyntaxErrorContext) -> str:
    here = error.here[:1]
    if here and here in CURLY_QUOTES:
        return 'write straight quotes, as in "laptop"'
    if re.search(r"(?i)\bprefix\s+[\w-]*:$", error.just_before) and error.could_be("IRIREF"):
        return "an IRI stands in angle brackets: PREFIX ex: <http://example.org/>"
    if error.here.startswith(("//", "--", "/*")):
        return "a comment begins with # and ends with its line"
    return ""


def _bare_triples(error: SyntaxErrorContext) -> str:
    """Return a hint for `_:H :target ?1` without ASK and braces, and for ASK without braces."""
    if error.before.strip() and not re.search(r"(?i)\b(?:ask|where|>)$", error.just_before):
        return ""
    if not _BEGINS_TRIPLE.match(error.here) or not (
        error.could_be("ASK") or error.could_be("LBRACE")
    ):
        return ""
    triple = _TRIPLE.match(error.here)
    shown = " ".join(triple.groups()) if triple else "_:H :target ?1"
    return (
        f"triples stand in braces: ASK {{ {shown} . }}, and a statement in parentheses:"
        f" {_STATEMENT}"
    )


def _filters(error: SyntaxErrorContext) -> str:
    """Return a hint for a filter behind its statement."""
    text = f"FILTER {error.here}" if error.before.upper().endswith("FILTER") else error.here
    found = _FILTER.match(text)
    if found is None or ")" not in error.before:
        return ""
    return (
        "a filter is the last thing inside its statement: (_:H, ?x, (owl:Thing, price,"
        f" rdfs:Literal), {found[1]})"
    )


def _statements(error: SyntaxErrorContext) -> str:
    """Return a hint on the form of a statement."""
    if error.found.expected == {"OPEN"} and error.here:
        return f"the third thing is class, property and class in parentheses: {_STATEMENT}"
    if error.found.expected == {"_COMMA"} and not error.here.startswith(")"):
        return f"commas stand between the things of a statement: {_STATEMENT}"
    if error.here.startswith(".") and error.before.endswith(")"):
        return "statements need nothing between them; a dot stands between triples, in braces"
    if error.here.startswith(".") and error.could_be(END):
        return "leave the dot out; it stands between triples, in braces"
    if (
        error.found.terminal == END
        and re.match(r"(?i)\s*select\b", error.before)
        and ")" not in error.before
    ):
        return "a pattern is missing: select ?x { _:H :target ?x . }"
    return ""


def _triples(error: SyntaxErrorContext) -> str:
    """Return a hint for triples in braces: what is missing, and its place."""
    here = error.here[:1]
    if here == "." and error.found.terminal == "_DOT":
        return (
            "something is missing before the dot: a triple is subject property object, as in _:H"
            " :target ?1 ."
        )
    if _BEGINS_TRIPLE.match(error.here) and error.could_be("_DOT"):
        return (
            "a dot is missing before it: triples are subject property object, with a dot between"
            " them"
        )
    if here == "}" and not error.could_be("RBRACE"):
        return "triples are subject property object, as in _:H :target ?1 ."
    if re.search(r"(?i)\bfilter\s+\?\w+$", error.just_before):
        return "a filter stands in parentheses: FILTER (?1 < 400)"
    return ""


_IN_STATEMENTS = (_bare_triples, _filters, _statements)
_IN_BRACES = (_triples,)


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
