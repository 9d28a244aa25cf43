"""Differences between the dialects selector, jms and amqp: one row of facts each, and its wording.

A wording has the quotes of the dialect, and the context of its syntax errors. Names of the amqp
dialect are the sections of a message, mapped to an event:

| section | in the event |
|---|---|
| `application_properties.x`, `a.x`, `x` | the member `x` of data |
| `properties.message_id`, `subject`, `content_type` (`p.`) | `id`, `subject`, `datacontenttype` of
the envelope |
| `properties.creation_time` | `time` of the envelope, in milliseconds since 1970 |
| other fields of `properties` and `header` (`h.`) | the extension attribute of that name, without
underscores |

`header.priority` is 4 if the event has none, as the AMQP standard says. Events have no annotations
and no footer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tocsin.errors import Place, UnsupportedProblem
from tocsin.languages.base.texts import SourceSpan, SyntaxErrorContext, alternatives
from tocsin.languages.selector.literals import envelope_path, path_of
from tocsin.languages.selector.problems import form_problem
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Semantics, Value
from tocsin.plan.semantics.computed_conditions import AMQP as AMQP_COMPARING
from tocsin.plan.semantics.computed_conditions import COALESCE, Comparing
from tocsin.plan.semantics.computed_conditions import JMS as JMS_COMPARING
from tocsin.plan.semantics.computed_conditions import SELECTOR as SELECTOR_COMPARING
from tocsin.values.scalars import ENVELOPE, MILLISECONDS, Constant, Path
from tocsin.values.truth import Truth, negation

KEYWORDS = frozenset(
    (
        "AND",
        "OR",
        "XOR",
        "NOT",
        "LIKE",
        "ESCAPE",
        "BETWEEN",
        "IN",
        "IS",
        "NULL",
        "TRUE",
        "FALSE",
        "EXISTS",
    )
)


@dataclass(frozen=True, slots=True)
class Wording:
    """Words of a dialect; `name_quotes` are the quotes that make any text a name, if it has any."""

    dialect: str
    double_quotes: bool
    quote_inside: str
    name_quotes: str = ""

    @property
    def backticks(self) -> bool:
        """True if names may be written in backticks."""
        return "backticks" in self.name_quotes

    @property
    def functions(self) -> bool:
        """True if the dialect has functions."""
        return self.dialect in ("amqp", "cesql")


_TWICE = "write a quote inside a text twice, as in 'it''s'"
_BACKSLASH = "write a backslash before a quote inside a text"

NATIVE_WORDING = Wording(
    "selector", double_quotes=True, quote_inside=_TWICE, name_quotes="backticks"
)
JMS_WORDING = Wording("jms", double_quotes=False, quote_inside=_TWICE)
AMQP_WORDING = Wording(
    "amqp", double_quotes=True, quote_inside=_TWICE, name_quotes="square brackets"
)
CESQL_WORDING = Wording("cesql", double_quotes=True, quote_inside=_BACKSLASH)


@dataclass(frozen=True, slots=True)
class SelectorErrorContext(SyntaxErrorContext):
    """Text around the error, and the wording of the dialect."""

    wording: Wording

    @property
    def keyword(self) -> str:
        """Reserved word that was found, or ""."""
        word = self.found.terminal.lstrip("_")
        return word if word in KEYWORDS else ""

    @property
    def touching(self) -> bool:
        """True if there is no blank before the error."""
        return len(self.before) == self.found.offset


# Names of the amqp dialect.

_PATH_STEP = re.compile(r"\[((?:[^\[\]]|\[\[|\]\])+)\]|([^.\[\]]+)")
_PROPERTIES = frozenset(
    "message_id user_id to subject reply_to correlation_id content_type content_encoding"
    " absolute_expiry_time creation_time group_id group_sequence reply_to_group_id".split()
)
_HEADER = frozenset("durable priority ttl first_acquirer delivery_count".split())
_ENVELOPE_FIELDS = {"message_id": "id", "content_type": "datacontenttype"}
_DEFAULT_PRIORITY = 4
_ABSENT = frozenset("message_annotations m delivery_annotations d footer f".split())


def amqp_value(spot: SourceSpan, text: str) -> Expression:
    """Return the value of a name; raise for a section or field that events do not have."""
    section, dot, rest = spot.text.partition(".")
    if not dot or section.startswith("["):
        return Attribute(envelope_path(spot.text) or _steps(spot.text))
    match section:
        case "application_properties" | "a":
            return Attribute(_steps(rest))
        case "properties" | "p":
            return _field(rest, _PROPERTIES, spot, text)
        case "header" | "h":
            return _field(rest, _HEADER, spot, text)
        case _ if section in _ABSENT:
            raise UnsupportedProblem(
                f"an event has no section {section}",
                code="SelectorUnsupportedError",
                place=Place.at(text, spot.offset),
                token=spot.text,
                hint="events have properties, header and application_properties",
            )
        case _:
            return Attribute(_steps(spot.text))


def _field(name: str, known: frozenset[str], spot: SourceSpan, text: str) -> Expression:
    if name not in known:
        hint = f"known fields: {alternatives(sorted(known))}"
        raise form_problem(text, spot, f"{spot.text} is no field of an AMQP message", hint)
    if name == "creation_time":
        return Attribute((ENVELOPE, "time", MILLISECONDS))
    attribute = Attribute((ENVELOPE, _ENVELOPE_FIELDS.get(name, name.replace("_", ""))))
    if name == "priority":
        return Call(COALESCE, (attribute, Value(Constant.of(_DEFAULT_PRIORITY))))
    return attribute


def _steps(name: str) -> Path:
    """Return the path of a name: dots lead into objects, brackets make any text one step.

    A bracket inside is written twice.
    """
    return tuple(
        quoted.replace("[[", "[").replace("]]", "]") if quoted else plain
        for quoted, plain in _PATH_STEP.findall(name)
    )


Named = Callable[[SourceSpan, str], Expression]
"""Lookup of the value of a name, given the whole text for its places."""


def _plain(spot: SourceSpan, _: str) -> Expression:
    return Attribute(path_of(spot.text))


@dataclass(frozen=True, slots=True)
class Dialect:
    """Facts of one dialect.

    `comparing` gives the result for values of unlike kinds. `bare` is the result of a name alone
    for a value that is not a truth value; without it a name alone is refused. `java` means Java's
    numbers, and LIKE, IN and IS NULL for names only, with IN for strings only (Jakarta Messaging
    3.1, section 3.8.1.1). `mixed` allows unlike kinds in a comparison and `mixed_lists` in a list,
    where the others refuse them; `times` compares `ce_time` and `ce_endtime` as instants.
    """

    semantics: Semantics
    wording: Wording
    comparing: Comparing
    named: Named = _plain
    bare: Truth | None = None
    like_mismatch: Truth = Truth.UNKNOWN
    lenient_escape: bool = False
    java: bool = False
    mixed: bool = False
    mixed_lists: bool = False
    times: bool = True

    @property
    def mismatch(self) -> Truth:
        """Result of a predicate for a value of the wrong kind."""
        return self.comparing.mismatch

    @property
    def negated_mismatch(self) -> Truth:
        """Result of the positive predicate under a negated operator, such as NOT IN."""
        return self.mismatch if self.comparing.unequal_is_not_equal else negation(self.mismatch)

    @property
    def not_like_mismatch(self) -> Truth:
        """Result of LIKE under NOT LIKE."""
        return (
            self.like_mismatch
            if self.comparing.unequal_is_not_equal
            else negation(self.like_mismatch)
        )


NATIVE = Dialect(Semantics.SELECTOR, NATIVE_WORDING, SELECTOR_COMPARING)
JMS = Dialect(
    Semantics.JMS,
    JMS_WORDING,
    JMS_COMPARING,
    bare=Truth.FALSE,
    like_mismatch=Truth.FALSE,
    lenient_escape=True,
    java=True,
    mixed=True,
    times=False,
)
AMQP = Dialect(
    Semantics.AMQP,
    AMQP_WORDING,
    AMQP_COMPARING,
    named=amqp_value,
    bare=Truth.UNKNOWN,
    lenient_escape=True,
    mixed=True,
    mixed_lists=True,
)
