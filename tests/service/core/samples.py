"""Sound bodies for every operation that takes one, with every member that a body may have."""

from __future__ import annotations

from typing import Any

from tests.service.core.matrix import EPCIS_EVENT, Key

_ONTOLOGY = "@prefix : <http://x.example/> . :A a <http://www.w3.org/2000/01/rdf-schema#Class> ."
_MORE: dict[str, Any] = {
    "subscriber": "team",
    "policy": "deferred",
    "horizon": "2h",
    "deliver": {"file": "out", "content": "events"},
    "options": {"dialect": "jms"},
}
SUBSCRIPTIONS: tuple[dict[str, Any], ...] = (
    {"language": "selector", "expression": "price < 400", **_MORE, "paused": False},
    {"language": "rule", "expression": "WHEN order THEN payment WITHIN 1h FOR EACH customer"},
    {"language": "graph", "expression": "ASK { _:H a <http://x.example/A> . }", "options": {}},
    {"language": "concept", "expression": "A and exists p.B", "options": {}},
    {"language": "exmlql", "expression": "WHERE <a>$x</> CONSTRUCT <b>$x</>", "options": {}},
    {"language": "opsl", "expression": 'STRING: kind = "s"', "options": {}},
    {
        "language": "epcis",
        "expression": {"EQ_bizStep": ["shipping"], "GE_eventTime": "2026-01-01T00:00:00Z"},
        "deliver": {"webhook": "https://x.example/", "batch": 2},
    },
)
DEFINITIONS: tuple[dict[str, Any], ...] = (
    {"region": "POLYGON((0 0,0 1,1 1,1 0,0 0))"},
    {"region": {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]}},
    {"language": "opsl", "expression": 'STRING: kind = "s"'},
    {"ontology": _ONTOLOGY, "format": "text/turtle", "infer": ["existential"]},
    {"masterdata": {"urn:epc:id:sgln:0614141.00777.0": {"cbvmda:countryCode": "US"}}},
    {"xml": "<a><b>1</b></a>"},
)
EVENT: dict[str, Any] = {
    "specversion": "1.0",
    "id": "1",
    "source": "shop",
    "type": "offer",
    "time": "2026-01-31T08:00:00Z",
    "endtime": "2026-01-31T09:00:00Z",
    "place": {"type": "Point", "coordinates": [1.0, 2.0]},
    "datacontenttype": "application/json",
    "data": {"price": 1, "list": [1, {"a": "b"}]},
}
FULL_EPCIS_EVENT: dict[str, Any] = {
    **EPCIS_EVENT,
    "eventID": "urn:uuid:1",
    "recordTime": "2026-01-31T08:00:01Z",
    "disposition": "in_transit",
    "readPoint": {"id": "urn:epc:id:sgln:0614141.00001.0"},
    "bizLocation": {"id": "urn:epc:id:sgln:0614141.00001.0"},
    "bizTransactionList": [{"type": "po", "bizTransaction": "urn:x:1"}],
    "quantityList": [{"epcClass": "urn:epc:class:lgtin:4012345.012345.9", "quantity": 2.5}],
    "errorDeclaration": {"declarationTime": "2026-01-31T08:00:01Z", "reason": "x"},
    "sensorElementList": [
        {
            "sensorMetadata": {"time": "2026-01-31T08:00:00Z"},
            "sensorReport": [{"type": "Temperature", "value": 26.0, "uom": "CEL"}],
        }
    ],
}
EPCIS_DOCUMENT: dict[str, Any] = {
    "@context": ["https://ref.gs1.org/standards/epcis/epcis-context.jsonld", {"x": "urn:x"}],
    "type": "EPCISDocument",
    "schemaVersion": "2.0",
    "creationDate": "2026-01-31T09:00:00Z",
    "epcisBody": {"eventList": [{k: v for k, v in FULL_EPCIS_EVENT.items() if k != "@context"}]},
}
_QUERIES: tuple[dict[str, Any], ...] = (
    {
        "name": "q",
        "@context": {"x": "urn:x"},
        "query": {
            "eventType": ["ObjectEvent"],
            "GE_eventTime": "2026-01-01T00:00:00Z",
            "EQ_bizStep": ["shipping"],
            "orderBy": "eventTime",
            "orderDirection": "ASC",
            "eventCountLimit": 5,
            "perPage": 3,
        },
    },
    {"name": "s", "query": {"language": "selector", "expression": "a < 1", "options": {}}},
)
_TERMS: tuple[dict[str, Any], ...] = (
    {"dest": "http://127.0.0.1:9/", "signatureToken": "t", "stream": True, "reportIfEmpty": False},
    {
        "dest": "http://127.0.0.1:9/",
        "initialRecordTime": "2026-01-01T00:00:00Z",
        "reportIfEmpty": True,
        "schedule": {"second": "0", "minute": "0/5", "hour": "[1-3]", "dayOfMonth": "1,15"},
    },
)

SAMPLES: dict[Key, tuple[dict[str, Any], ...]] = {
    ("POST", "/v1/events"): (EVENT, FULL_EPCIS_EVENT),
    ("POST", "/v1/check"): SUBSCRIPTIONS,
    ("POST", "/v1/explain"): SUBSCRIPTIONS,
    ("POST", "/v1/try"): tuple({**each, "last": "1h", "limit": 3} for each in SUBSCRIPTIONS),
    ("POST", "/v1/why-not"): (
        *({"subscription": each, "event": EVENT} for each in SUBSCRIPTIONS[:2]),
        {"subscription": "kept", "event": {"position": 1, "id": "1"}},
    ),
    ("PUT", "/v1/subscriptions/{id}"): SUBSCRIPTIONS,
    ("POST", "/v1/subscriptions/{id}/delivery"): ({"after": 0},),
    ("PUT", "/v1/definitions/{name}"): DEFINITIONS,
    ("POST", "/v1/dead-letters/{id}/replay"): (EVENT,),
    ("POST", "/epcis/capture"): (EPCIS_DOCUMENT, EPCIS_EVENT),
    ("POST", "/epcis/events"): (FULL_EPCIS_EVENT, EPCIS_EVENT),
    ("POST", "/epcis/queries"): _QUERIES,
    ("POST", "/epcis/queries/{name}/subscriptions"): _TERMS,
}
"""Every operation with a body; one without samples is a failing test."""
