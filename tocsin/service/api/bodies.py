"""Schemas of bodies for the OpenAPI document. The parsers of the project read them, and check more
than a schema can.
"""

from __future__ import annotations

from typing import Any

_TEXT: dict[str, Any] = {"type": "string"}

SUBSCRIPTION: dict[str, Any] = {
    "type": "object",
    "required": ["language", "expression"],
    "properties": {
        "language": {
            "type": "string",
            "enum": ["rule", "selector", "graph", "concept", "exmlql", "opsl", "epcis"],
        },
        "expression": {"anyOf": [_TEXT, {"type": "object"}]},
        "subscriber": _TEXT,
        "policy": _TEXT,
        "horizon": _TEXT,
        "deliver": {"type": "object"},
        "options": {"type": "object"},
        "paused": {"type": "boolean"},
    },
    "example": {"language": "selector", "expression": "price < 400"},
}

TRIED: dict[str, Any] = SUBSCRIPTION | {
    "properties": SUBSCRIPTION["properties"]
    | {"last": {"type": "string", "example": "24h"}, "limit": {"type": "integer", "minimum": 0}}
}

DEFINITION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "region": {"anyOf": [_TEXT, {"type": "object"}]},
        "language": _TEXT,
        "expression": _TEXT,
        "ontology": _TEXT,
        "format": _TEXT,
        "infer": {"type": "array", "items": _TEXT},
        "masterdata": {"anyOf": [_TEXT, {"type": "object"}]},
        "xml": _TEXT,
    },
    "example": {"region": "POLYGON((0 0,0 1,1 1,1 0,0 0))"},
}

EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["id", "source", "type"],
    "properties": {
        "specversion": {"type": "string", "enum": ["1.0"]},
        "id": _TEXT,
        "source": _TEXT,
        "type": _TEXT,
        "time": {"type": "string", "format": "date-time"},
        "endtime": {"type": "string", "format": "date-time"},
        "place": {"anyOf": [_TEXT, {"type": "object"}]},
        "datacontenttype": _TEXT,
        "data": {},
    },
    "example": {
        "specversion": "1.0",
        "id": "1",
        "source": "shop",
        "type": "offer",
        "data": {"price": 350},
    },
}

WHY_NOT: dict[str, Any] = {
    "type": "object",
    "required": ["subscription", "event"],
    "properties": {
        "subscription": {"anyOf": [_TEXT, SUBSCRIPTION]},
        "event": {
            "anyOf": [
                EVENT,
                {
                    "type": "object",
                    "required": ["position"],
                    "properties": {"position": {"type": "integer", "minimum": 1}, "id": _TEXT},
                },
            ]
        },
    },
    "example": {"subscription": "cheap", "event": {"position": 1}},
}

EVENT_CONTENT: dict[str, Any] = {
    "application/cloudevents+json": {"schema": EVENT},
    "application/cloudevents-batch+json": {"schema": {"type": "array", "items": EVENT}},
    "application/json": {"schema": {"anyOf": [EVENT, {"type": "array", "items": EVENT}]}},
    "application/x-ndjson": {"schema": _TEXT},
    "application/xml": {"schema": _TEXT},
    "text/turtle": {"schema": _TEXT},
    "application/ld+json": {"schema": {}},
}

PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": _TEXT,
        "title": _TEXT,
        "status": {"type": "integer"},
        "code": _TEXT,
        "detail": _TEXT,
        "hint": _TEXT,
        "token": _TEXT,
        "line": {"type": "integer"},
        "column": {"type": "integer"},
    },
}


def json_body(schema: dict[str, Any], *, required: bool = True) -> dict[str, Any]:
    """Return the part of an operation that describes a JSON body."""
    return bodies({"application/json": {"schema": schema}}, required=required)


def bodies(content: dict[str, Any], *, required: bool = True) -> dict[str, Any]:
    """Return the part of an operation that describes a body of several content types."""
    return {"requestBody": {"required": required, "content": content}}


PROBLEMS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "A problem document (RFC 9457)",
        "content": {"application/problem+json": {"schema": PROBLEM}},
    }
}
"""Response that every operation may give instead."""
