"""Member output of a query, fixed when the query is made, since a column has one type.

Workers always return `members` as structs, some of whose fields may be null; `convert_members`
converts them to the requested column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from tocsin.catalog import Subscription
from tocsin.events.codecs.base.cloudevents import encode, json_text
from tocsin.events.event import Event
from tocsin.events.matches.match import MemberContent, PrefixVocabulary, turtle
from tocsin.spark.output.carried_columns import (
    INSTANT_TYPE,
    CarriedColumns,
    carried_by,
    detach_columns,
    expand_columns,
)
from tocsin.values.media_types import is_json, media_type

MEMBER = pa.struct(
    [
        *(pa.field(name, pa.string()) for name in ("id", "source", "type")),
        *(pa.field(name, INSTANT_TYPE) for name in ("time", "endtime")),
        *(
            pa.field(name, pa.string())
            for name in ("place", "datacontenttype", "data", "json", "rdf")
        ),
    ]
)
MEMBERS = pa.list_(pa.field("element", MEMBER))


class MembersColumn(Enum):
    """The type of the column `members`: none, structs, or texts."""

    NONE = "none"
    STRUCTS = "structs"
    TEXTS = "texts"


@dataclass(frozen=True, slots=True)
class MemberOutput:
    """The kind of the column `members`, and the default content.

    With `heeds` false the default applies to all subscriptions, else to those without content of
    their own. `keeping` names the kept columns.
    """

    kind: MembersColumn = MembersColumn.NONE
    default: MemberContent = MemberContent.IDS
    heeds: bool = True
    keeping: CarriedColumns | None = None

    @property
    def untold(self) -> frozenset[str]:
        """The fields of a match for which the query has no column."""
        members = {"members"} if self.kind is MembersColumn.NONE else set()
        return frozenset(members | ({"kept"} if self.keeping is None else set()))

    def contents(self, subscriptions: Iterable[Subscription]) -> dict[str, MemberContent]:
        """Return the content of the subscriptions that request one of their own."""
        return (
            {each.id: each.content for each in subscriptions if each.content is not None}
            if self.heeds
            else {}
        )


IDS_ONLY = MemberOutput()
"""No column `members`."""

EVENTS_AS_TEXT = MemberOutput(MembersColumn.TEXTS, MemberContent.EVENTS, heeds=False)
"""Every member as CloudEvents JSON, whatever is requested: nothing is lost."""


def telling_of(content: MemberContent, subscriptions: Iterable[Subscription]) -> MemberOutput:
    """Return the member output for an option of the query and the subscriptions at its creation."""
    asked = {each.content for each in subscriptions}
    if content is MemberContent.EVENTS or (
        content is MemberContent.IDS and MemberContent.EVENTS in asked
    ):
        return MemberOutput(MembersColumn.STRUCTS, content)
    if content is MemberContent.RDF or MemberContent.RDF in asked:
        return MemberOutput(MembersColumn.TEXTS, content)
    return IDS_ONLY


def convert_members(both: DataFrame, telling: MemberOutput) -> DataFrame:
    """Convert rows of workers (match, dead_letter) to the column `members` of the query.

    Workers may have omitted fields that the query has no column for.
    """
    if (
        telling.keeping is None
        and telling.kind is not MembersColumn.TEXTS
        and _is_narrow(both, telling)
    ):
        return both
    match telling.kind:
        case MembersColumn.STRUCTS:
            match_told = F.col("match")
        case MembersColumn.NONE:
            match_told = F.col("match").dropFields("members")
        case MembersColumn.TEXTS:
            texts = F.transform("match.members", lambda each: F.coalesce(each["rdf"], each["json"]))
            match_told = F.col("match").withField("members", texts)
    return both.select(expand_columns(match_told, telling.keeping).alias("match"), "dead_letter")


def _is_narrow(both: DataFrame, telling: MemberOutput) -> bool:
    """True if workers have omitted the fields that the query has no column for."""
    held = both.schema["match"].dataType
    assert isinstance(held, StructType)
    return telling.untold.isdisjoint(held.fieldNames())


@dataclass(frozen=True, slots=True)
class MemberRenderer:
    """Renderer of members: the requested content by subscription, and the ontology for RDF."""

    telling: MemberOutput
    contents: Mapping[str, MemberContent]
    words: PrefixVocabulary | None

    def column(self, keys: Sequence[str], members: Callable[[int], Iterable[Event]]) -> Any:
        """Return the members of matches, by subscription and number; null for content "ids"."""
        if self.telling.kind is MembersColumn.NONE:
            return pa.nulls(len(keys), MEMBERS)
        default = self.telling.default
        wanted = [self.contents.get(key, default) for key in keys]
        return pa.array(
            [
                None
                if each is MemberContent.IDS
                else [self._member(event, each) for event in members(number)]
                for number, each in enumerate(wanted)
            ],
            MEMBERS,
        )

    def kept(self, members: Iterable[Event]) -> list[str | None] | None:
        """Return the kept columns of members, or None if the query keeps none."""
        return None if self.telling.keeping is None else list(map(carried_by, members))

    def _member(self, carrier: Event, content: MemberContent) -> dict[str, Any]:
        event = detach_columns(carrier)
        rdf = turtle(event, self.words) if content is MemberContent.RDF else None
        if self.telling.kind is MembersColumn.STRUCTS:
            return _fields(event) | {"rdf": rdf}
        return {"rdf": rdf} if content is MemberContent.RDF else {"json": encode(event)}


def _fields(event: Event) -> dict[str, Any]:
    times = event.interval
    return {
        "id": event.id,
        "source": event.source,
        "type": event.type,
        "time": None if times is None else times.start,
        "endtime": None if times is None else times.end,
        "place": _as_text(event.place_source),
        "datacontenttype": event.envelope.get("datacontenttype"),
        "data": _data_text(event),
        "json": encode(event),
    }


def _data_text(event: Event) -> str | None:
    """Return JSON data as JSON text, text of another media type as it is; None without data."""
    is_text = isinstance(event.data, str) and not is_json(media_type(event.envelope))
    return str(event.data) if is_text else None if event.data is None else json_text(event.data)


def _as_text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json_text(value)
