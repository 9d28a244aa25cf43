"""Problems of texts that leave the grammar: the token found, the expected ones, a suggestion.

Syntax borrowed from XML, XPath, SQL and XQuery has hints of its own.
"""

from __future__ import annotations

import re

from tocsin.errors import MeaningProblem, Place, Problem, SyntaxProblem
from tocsin.languages.base.parsing import END, Unexpected
from tocsin.languages.base.texts import (
    CURLY_QUOTES,
    LONGEST_TOKEN,
    SourceSpan,
    SyntaxErrorContext,
    TerminalNames,
    end_of,
    find_hint,
    nearest,
    split_at_error,
    unexpected_problem,
)
from tocsin.languages.exmlql.syntax import SYNTAX_CODE
from tocsin.languages.exmlql.term_transformer import Misplaced, unknown_function
from tocsin.languages.exmlql.transformer import RESERVED
from tocsin.plan.xml.row_evaluation import FUNCTION_NAMES

# Syntax borrowed from XML, XPath, SQL and XQuery.

_WORD = re.compile(r"[^\W\d][\w.:-]*")
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=$")
_VALUE = re.compile(r"['“”‘’]?([^\s'“”‘’\"<>/]*)")
_PREFIX = re.compile(r"NAMESPACE\s+([\w.-]+)\s*=?$")
_NAMESPACE = re.compile(r"=?\s*['“”‘’]?([^\s'“”‘’\"]*)")
_DECLARED = re.compile(r"xmlns:([\w.-]+)\s*=\s*['\"]?([^\s'\"]*)")
_OTHER_JOIN = re.compile(r"->|→|#|&|\+|(?i:then|and|before|followed|after|or)\b")
_JOINS = "; then, : overlapping, || both, | either, as in #A ; #B"


def hint_for_foreign_syntax(error: SyntaxErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return find_hint(error, _RULES)


def _comments(error: SyntaxErrorContext) -> str:
    if error.here.startswith(("!--", "<!--", "--", "/*", "(:", "?xml")):
        return "a subscription has no comments and no XML declaration; leave it out"
    return ""


def _attributes(error: SyntaxErrorContext) -> str:
    """Return a hint for `no=7` and `no='7'` inside a tag."""
    name = _ATTRIBUTE.search(error.just_before)
    if (
        name is None
        or not error.could_be("STRING")
        or not error.could_be("VARIABLE")
        or error.could_be("NUMBER")
    ):
        return ""
    value = _VALUE.match(error.here)
    if name[1].startswith("xmlns"):
        return (
            f'namespaces stand before WHERE: NAMESPACE p = "{value[1] if value else "..."}", and'
            " then <p:name>"
        )
    return (
        "the value of an attribute stands in double quotes:"
        f' {name[1]}="{value[1] if value else ""}"'
    )


def _namespaces(error: SyntaxErrorContext) -> str:
    """Return a hint for `NAMESPACE p urn:x`, `NAMESPACE p = urn:x`, and xmlns before WHERE."""
    prefix = _PREFIX.search(error.just_before)
    if prefix and error.could_be("_EQUAL", "STRING"):
        uri = _NAMESPACE.match(error.here)
        return f'write NAMESPACE {prefix[1]} = "{uri[1] if uri else ""}"'
    declared = _DECLARED.match(error.here)
    if declared and error.could_be("WHERE"):
        return f'write NAMESPACE {declared[1]} = "{declared[2]}" before WHERE'
    return ""


def _blocks(error: SyntaxErrorContext) -> str:
    """Return a hint for `#A , #B`: blocks named before their pattern, or joined by a comma."""
    here = re.match(r"#\w+", error.here)
    if (
        here
        and error.could_be("_OPEN")
        and error.before.endswith(("WHERE", ","))
        and not error.could_be("BLOCK")
    ):
        return (
            f"{here[0]} names a pattern and stands after it: <order></> {here[0]}; events are"
            f" joined by {_JOINS}"
        )
    if error.here.startswith(",") and re.search(r"#\w+$", error.just_before):
        return f"events are joined by {_JOINS}; a comma stands between patterns and conditions"
    if (
        re.search(r"#\w+$", error.just_before)
        and error.could_be("THEN")
        and _OTHER_JOIN.match(error.here)
    ):
        return f"events are joined by {_JOINS}"
    return ""


def _joined_conditions(error: SyntaxErrorContext) -> str:
    """Return a hint for AND behind a pattern."""
    word = _WORD.match(error.here)
    joins = error.here.startswith(("&", ";", "∧")) or (word and word[0].upper() == "AND")
    if joins and error.could_be("_COMMA") and re.search(r"(?:>|\$\w+|#\w+)$", error.just_before):
        return "a comma stands between patterns and conditions: <order><id>$x</></>, $x > 5"
    return ""


def _between(error: SyntaxErrorContext) -> str:
    found = re.match(r"(?i:between)\s+(\S+)\s+(?i:and)\s+(\S+)", error.here)
    name = re.search(r"\$\w+$", error.just_before)
    if found and name:
        return f"write {name[0]} >= {found[1]}, {name[0]} <= {found[2]}"
    return ""


def _bare_names(error: SyntaxErrorContext) -> str:
    """Return a hint for `WHERE <a>$x</>, price > 5`."""
    if error.here.upper().startswith("RETURN") and error.could_be("CONSTRUCT"):
        return "what is built follows CONSTRUCT: CONSTRUCT <result>$x</>"
    word = re.match(r"([^\W\d][\w.-]*)\s*(?:<=|>=|!=|=|>|<(?![^\W\d]))\s*[^<>\s]", error.here)
    if word and error.could_be("NUMBER") and error.could_be("VARIABLE"):
        return (
            f"a condition is about a variable that a pattern binds: <{word[1]}>$x</>, and then $x"
        )
    return ""


def _paths(error: SyntaxErrorContext) -> str:
    """Return a hint for an XPath without the word XPATH."""
    path = re.match(r"\.?/[^,\n]*", error.here)
    if path and error.could_be("XPATH"):
        return f'write XPATH "{path[0].strip()}"'
    return ""


def _operators(error: SyntaxErrorContext) -> str:
    """Return a hint for comparisons of other languages, and for XPath steps inside a tag."""
    pair = error.before[-1:] + error.here[:1]
    if pair in _COMPARISONS and error.could_be("NUMBER"):
        return _COMPARISONS[pair]
    if error.here.startswith("@") and error.could_be("_GREATER"):
        return 'an attribute stands in its tag without @: <order no="7">'
    if error.here.startswith("[") and error.could_be("_GREATER"):
        return (
            "an attribute stands in its tag, a child inside of the element: <order"
            ' no="7"><id>5</></>, or XPATH "..."'
        )
    if error.found.terminal == END and error.could_be("_CLOSING"):
        return "a parenthesis is not closed"
    return ""


_COMPARISONS = {"==": "write = once", "<>": "write !=", "=>": "write >=", "=<": "write <="}


def _quotes(error: SyntaxErrorContext) -> str:
    here = error.here[:1]
    if here and here in CURLY_QUOTES:
        return 'write straight double quotes, as in "laptop"'
    if here == "'" and error.could_be("STRING"):
        return 'a text stands in double quotes, as in "laptop"'
    if here == "{":
        return "a variable stands without braces: <id>$x</>"
    return ""


def _durations(error: SyntaxErrorContext) -> str:
    if error.could_be("DURATION"):
        number = re.match(r"\d+", error.here)
        shown = f", {number[0]}s for seconds" if number else ""
        return f"a duration has a unit: 500ms, 60s, 10m, 2h or 1d{shown}"
    if error.found.terminal == END and error.before.upper().endswith(("WHERE", ",")):
        return "a pattern or a condition is missing, as in WHERE <order><id>$x</></>, $x > 5"
    return ""


_RULES = (
    _comments,
    _attributes,
    _namespaces,
    _blocks,
    _joined_conditions,
    _between,
    _bare_names,
    _paths,
    _operators,
    _quotes,
    _durations,
)
"""From the most to the least specific."""


_WORDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in double quotes",
    "TEXT": "a text",
    "COMPARE": "a comparison such as =",
    "VARIABLE": "a variable such as $x",
    "BLOCK": "a block such as #P",
    "DURATION": "a duration such as 10m",
    "ANY": "$",
    "STAR": "*",
    "TRIGGER": "~>",
    "FORWARD": "=>",
    "THEN": ";",
    "OVERLAPPED": ":",
    "PARALLEL": "||",
    "ALTERNATIVE": "|",
    "NOT": "!",
    "OPENING": '"("',
    "CLOSE": "</",
    "CONTEXT_NAME": "Recent, Exclusive or Globe",
    "_TIMING": "_|_",
    "_CLOSING": '")"',
    "_LEFT": '"["',
    "_RIGHT": '"]"',
    "_COMMA": '","',
    "_EQUAL": '"="',
    "_OPEN": "an element",
    "_GREATER": '">"',
    "_WITHIN": "WITHIN",
    "_NAMESPACE": "NAMESPACE",
    "_IN": "IN",
    "_AND": "AND",
    "_OR": "OR",
    "_ESCAPE": "ESCAPE",
    "NOT_WORD": "NOT",
    "ORDER_BY": "ORDER-BY",
    "CALL": "a function such as upper(",
    "STEP": "a name",
    "CLOSING_TAG": "a name",
    "PLUS": "+",
    "MINUS": "-",
    "SLASH": "/",
    "OPTIONAL": "?",
    "_DOT": '"."',
    END: "the end of the subscription",
}
_VOCABULARY = TerminalNames(_WORDS, end_last=False)
_WORDS_IN_CAPITALS = (*RESERVED, "AND", "OR", "NOT", "LIKE", "IN", "ESCAPE", "DESCENDING")
_KEYWORDS = (*_WORDS_IN_CAPITALS, "Recent", "Exclusive", "Globe")
_PATH_SIGNS = ".*+?|"
_IN_PATH = frozenset(("_CLOSING", "ALTERNATIVE", "_DOT", "STAR", "PLUS", "OPTIONAL"))
_VARIABLE_IN_PATH = "a variable for a name stands alone: <$tag>; inside of a path $ is any name"
_SEE = "see the grammar: WHERE patterns and conditions, times, CONTEXT, ORDER-BY, CONSTRUCT"
_TAG = re.compile(r'"[^"]*"|<(/?)([^\W\d][\w.:-]*|(?<=/))[^<>"]*>')
_OPENED = re.compile(r"([^\W\d][\w.\-]*)\($")


def syntax_problem(text: str, found: Unexpected) -> Problem:
    """Return the problem of a text that is not in the grammar."""
    called = _OPENED.search(end_of(text[: found.offset].rstrip()))
    if called and called[1] not in FUNCTION_NAMES:
        return misplaced_problem(text, unknown_function(SourceSpan(called.start(), called[1])))
    if (
        text[: found.offset].rstrip().endswith("(")
        and "COMPARE" not in found.expected
        and "CALL" in found.expected
    ):
        return _not_arithmetic(text, found)
    if "CLOSE" in found.expected and (crossed := _crossed_tags(text)):
        return misplaced_problem(text, crossed)
    hint = _hint(*split_at_error(text, found), found)
    return unexpected_problem(
        text, found, SYNTAX_CODE, _VOCABULARY.describe(found.expected), hint, "subscription"
    )


def misplaced_problem(text: str, found: Misplaced) -> Problem:
    """Return the problem of a token that the grammar allows and the language does not."""
    kind = SyntaxProblem if found.code == SYNTAX_CODE else MeaningProblem
    place = Place.at(text, found.spot.offset)
    return kind(
        found.message,
        code=found.code,
        place=place,
        token=found.spot.text[:LONGEST_TOKEN],
        hint=found.hint,
    )


def _not_arithmetic(text: str, found: Unexpected) -> Problem:
    """Return the problem of a parenthesis with other content than values."""
    hint = (
        'a calculation stands in parentheses, as in ($a + 1); a text goes in double quotes: "(...)"'
    )
    return unexpected_problem(
        text, found, SYNTAX_CODE, _VOCABULARY.describe(found.expected), hint, "subscription"
    )


def _hint(before: str, here: str, found: Unexpected) -> str:
    """Return the hint of the first common mistake that fits."""
    if hint := hint_for_foreign_syntax(SyntaxErrorContext(before, here, found)):
        return hint
    if not before and "WHERE" in found.expected:
        word = re.match(r"\w+", here)
        if meant := nearest(word[0].upper(), ("WHERE", "NAMESPACE")) if word else "":
            return f"did you mean {meant}, in capital letters? A subscription begins with WHERE"
        return "a subscription begins with WHERE, as in WHERE <order><id>$x</></>"
    if here.startswith("/>") or (here == "/" and "_GREATER" in found.expected):
        return "an element is written <name></>, also when it is empty"
    if here.startswith("//") or before.endswith("/"):
        return (
            'there is no descendant operator //: write a path such as <a.$*.b>, or XPATH "//name"'
        )
    if found.terminal == END and "_GREATER" in found.expected:
        return "a tag is not closed with >"
    if found.terminal == END and "CLOSE" in found.expected:
        return "an element is not closed: </> closes the innermost one"
    if here.startswith("</"):
        return "this closes an element that is not open"
    if here.startswith('"'):
        return "close the text with a double quote; a quote inside it is written twice"
    if "CLOSE" in found.expected and here[:1] in "#>$":
        return f'a text with {here[0]} goes in double quotes: "..."'
    if "CONTEXT_NAME" in found.expected:
        return "the contexts are Recent, Exclusive and Globe"
    return _near_keyword(here) or _hint_in_value(here, found) or _SEE


def _crossed_tags(text: str) -> Misplaced | None:
    """Return the first tag that closes another than the innermost element: `<order><id>7</order>`.

    None if there is no such tag.
    """
    opened: list[str] = []
    for tag in _TAG.finditer(text):
        if tag[0].startswith('"'):
            continue
        if not tag[1]:
            opened.append(tag[2])
        elif opened and tag[2] in ("", opened[-1]):
            opened.pop()
        elif opened and tag[2] in opened:
            inner = opened[-1]
            hint = f"close <{inner}> before it: </{inner}>, or </> for the innermost element"
            return Misplaced(
                SourceSpan(tag.start(2), tag[2]),
                f"</{tag[2]}> stands where <{inner}> is open",
                hint,
                SYNTAX_CODE,
            )
        else:
            return None
    return None


def _hint_in_value(here: str, found: Unexpected) -> str:
    """Return a hint for a word in place of a value, a missing comparison, or a variable inside a
    path.
    """
    word = re.match(r"[^\W\d][\w.-]*", here)
    if "NUMBER" in found.expected and word:
        return f'a text goes in double quotes: "{word[0]}"'
    if "COMPARE" in found.expected:
        return 'compare the value, as in $x > 5, upper($x) = "A" or $x LIKE "a%"'
    if here.startswith("$") and "STEP" in found.expected:
        return _VARIABLE_IN_PATH
    if here[:1] in _PATH_SIGNS and "_GREATER" in found.expected:
        return _VARIABLE_IN_PATH
    if "STEP" in found.expected or found.expected <= _IN_PATH:
        return "a path is written like <a.b>, <part+.(subpart|component.piece)> or <$*.name>"
    if here.startswith("∧"):
        return "∧ joins conditions: $x > 1 ∧ $y < 2; events are related by ; : || | or _|_"
    return ""


def _near_keyword(here: str) -> str:
    word = re.match(r"\w+", here)
    if word is None:
        return ""
    meant = nearest(word[0].upper(), _WORDS_IN_CAPITALS, 0.75) or nearest(
        word[0].capitalize(), _KEYWORDS, 0.75
    )
    return f"{meant} is written {meant}" if meant and meant != word[0] else ""
