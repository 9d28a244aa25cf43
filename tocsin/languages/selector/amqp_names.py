"""Names of the amqp dialect: the sections of a message, mapped to an event.

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

from tocsin.errors import Place, UnsupportedProblem
from tocsin.events.event import ENVELOPE, MILLISECONDS, Path
from tocsin.languages.base.texts import SourceSpan, alternatives
from tocsin.languages.selector.literals import envelope_path
from tocsin.languages.selector.problems import form_problem
from tocsin.plan.nodes.expression import Attribute, Call, Expression, Value
from tocsin.plan.semantics.arithmetic import COALESCE
from tocsin.values.scalars import Constant

_STEP = re.compile(r"\[((?:[^\[\]]|\[\[|\]\])+)\]|([^.\[\]]+)")
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
        for quoted, plain in _STEP.findall(name)
    )
