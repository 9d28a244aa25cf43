"""The documents of the OpenEPCIS test resources, by path; empty where they are not beside the
checkout.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conftest import SHARED_DATA

FOLDER = "epcis-openepcis"
ROOT = SHARED_DATA / FOLDER


def documents() -> list[Path]:
    """Every document, sorted, relative to the folder."""
    return sorted(
        path.relative_to(ROOT) for path in ROOT.rglob("*") if path.suffix in (".json", ".xml")
    )


def is_invalid(path: Path) -> bool:
    return "Invalid" in path.parts


def is_query(path: Path) -> bool:
    """A question, not events: the folder of queries, and one document that is filed with the
    events.
    """
    return "Queries" in path.parts or path.name == "QueryDocument_with_missing_value.xml"


def content(path: Path) -> bytes:
    return (ROOT / path).read_bytes()


VALID = [path for path in documents() if not is_invalid(path) and not is_query(path)]
INVALID = [path for path in documents() if is_invalid(path) and not is_query(path)]
QUERIES = [path for path in documents() if is_query(path)]
TWINS = [
    (path, twin)
    for path in VALID
    if path.suffix == ".json"
    and (twin := Path(str(path).replace("/JSON/", "/XML/")).with_suffix(".xml")) in VALID
]


def raw_events(path: Path) -> list[dict[str, Any]]:
    """The events of a JSON document just as they are written, with the context of the document in
    each.
    """
    body = json.loads(content(path))
    if "epcisBody" not in body:
        return [body]
    inner = body["epcisBody"]
    if "queryResults" in inner:
        inner = inner["queryResults"]["resultsBody"]
    return list(inner["eventList"])
