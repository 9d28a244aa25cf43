"""Random EPCIS events, and two ways to write each: the JSON binding and the XML binding of the
standard.
"""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

EXT = "http://example.com/ext/"
WORDS = st.sampled_from(["shipping", "receiving", "packing", "sensor_reporting"])
IDS = st.integers(0, 99).map(lambda serial: f"urn:epc:id:sgtin:0614141.107346.{serial}")
PLACES = st.sampled_from(["urn:epc:id:sgln:0614141.07346.1234", "https://example.com/dock/4"])
TEXTS = st.text("aäß漢 <&>\"'0.:", max_size=8).map(lambda text: f"x{text}x")
QUANTITIES = st.one_of(st.integers(0, 10**6), st.integers(1, 10**5).map(lambda number: number / 8))


def maybe(strategy: Any) -> Any:
    return st.one_of(st.none(), strategy)


SENSORS = st.fixed_dictionaries(
    {
        "sensorReport": st.lists(
            st.fixed_dictionaries(
                {
                    "type": st.sampled_from(["Temperature", "Speed"]),
                    "value": QUANTITIES,
                    "booleanValue": st.booleans(),
                }
            ),
            min_size=1,
            max_size=2,
        )
    }
)
EVENTS = st.fixed_dictionaries(
    {
        "type": st.just("ObjectEvent"),
        "eventTime": st.integers(0, 59).map(
            lambda second: f"2026-01-31T08:00:{second:02d}.5+01:00"
        ),
        "eventTimeZoneOffset": st.just("+01:00"),
        "action": st.sampled_from(["ADD", "OBSERVE", "DELETE"]),
        "epcList": st.lists(IDS, min_size=1, max_size=3),
        "quantityList": maybe(
            st.lists(
                st.fixed_dictionaries({"epcClass": IDS, "quantity": QUANTITIES}),
                min_size=1,
                max_size=2,
            )
        ),
        "bizStep": maybe(WORDS),
        "readPoint": maybe(PLACES.map(lambda place: {"id": place})),
        "bizTransactionList": maybe(
            st.lists(
                st.fixed_dictionaries(
                    {"type": st.sampled_from(["po", "inv"]), "bizTransaction": PLACES}
                ),
                min_size=1,
                max_size=2,
            )
        ),
        "sensorElementList": maybe(st.lists(SENSORS, min_size=1, max_size=2)),
        "ilmd": maybe(st.dictionaries(st.sampled_from(["ext:lot", "ext:size"]), TEXTS, min_size=1)),
        "ext:note": maybe(TEXTS),
        "ext:deep": maybe(
            st.fixed_dictionaries(
                {"ext:a": TEXTS, "ext:b": st.lists(TEXTS, min_size=2, max_size=3)}
            )
        ),
    }
).map(lambda event: {name: value for name, value in event.items() if value is not None})


def as_document(*events: dict[str, Any]) -> dict[str, Any]:
    """The JSON document of events."""
    return {
        "@context": ["https://ref.gs1.org/standards/epcis/epcis-context.jsonld", {"ext": EXT}],
        "type": "EPCISDocument",
        "schemaVersion": "2.0",
        "creationDate": "2026-01-31T09:00:00Z",
        "epcisBody": {"eventList": list(events)},
    }


def as_xml(*events: dict[str, Any]) -> str:
    """The XML document of events."""
    times = ("eventTime", "eventTimeZoneOffset")
    ordered = [{name: event[name] for name in (*times, *event)} for event in events]
    inner = "".join(f"<ObjectEvent>{_fields(event)}</ObjectEvent>" for event in ordered)
    return (
        f'<epcis:EPCISDocument xmlns:epcis="urn:epcglobal:epcis:xsd:2" xmlns:other={quoteattr(EXT)} '
        f'schemaVersion="2.0" creationDate="2026-01-31T09:00:00Z"><EPCISBody><EventList>{inner}</EventList>'
        "</EPCISBody></epcis:EPCISDocument>"
    )


def _fields(event: dict[str, Any]) -> str:
    return "".join(_field(name, value) for name, value in event.items() if name != "type")


def _field(name: str, value: Any) -> str:
    match name:
        case "epcList":
            inner = "".join(f"<epc>{escape(epc)}</epc>" for epc in value)
        case "quantityList":
            inner = "".join(f"<quantityElement>{_fields(each)}</quantityElement>" for each in value)
        case "bizStep":
            inner = f"urn:epcglobal:cbv:bizstep:{value}"
        case "bizTransactionList":
            inner = "".join(
                f'<bizTransaction type="urn:epcglobal:cbv:btt:{each["type"]}">{each["bizTransaction"]}</bizTransaction>'
                for each in value
            )
        case "sensorElementList":
            inner = "".join(f"<sensorElement>{_reports(each)}</sensorElement>" for each in value)
        case _ if isinstance(value, list):
            return "".join(_field(name, item) for item in value)
        case _:
            inner = _fields(value) if isinstance(value, dict) else escape(str(value))
    tag = name.replace("ext:", "other:")
    return f"<{tag}>{inner}</{tag}>"


def _reports(element: dict[str, Any]) -> str:
    return "".join(
        f'<sensorReport type="gs1:{each["type"]}" value="{each["value"]}" '
        f'booleanValue="{str(each["booleanValue"]).lower()}"/>'
        for each in element["sensorReport"]
    )
