"""What a file holds: by its first bytes where they are clear, else by its suffix. It is lines
unless it is a document.

JSON is told apart by what it really is: a first line that is an object by itself begins JSON Lines;
an array, or an object over several lines, begins a document. Where the first line is broken, a
later line that is an object by itself shows that there are lines.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import PurePath
from types import UnionType

from tocsin.errors import MeaningProblem

HEAD = 1 << 20
"""So many bytes are looked at, at most, to tell what a file holds."""


class Format(StrEnum):
    """The formats of files of events."""

    JSON_LINES = "jsonl"
    JSON = "json"
    XML = "xml"
    EPCIS = "epcis"
    TURTLE = "turtle"
    N_TRIPLES = "n-triples"
    RDF_XML = "rdf-xml"
    JSON_LD = "json-ld"
    CSV = "csv"
    PARQUET = "parquet"


SUFFIXES = {
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".jsonlines": Format.JSON_LINES,
    ".json": Format.JSON,
    ".jsonld": Format.JSON_LD,
    ".xml": Format.XML,
    ".rdf": Format.RDF_XML,
    ".owl": Format.RDF_XML,
    ".ttl": Format.TURTLE,
    ".turtle": Format.TURTLE,
    ".nt": Format.N_TRIPLES,
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
}
_BY_SUFFIX_ALONE = (Format.TURTLE, Format.N_TRIPLES, Format.CSV)
"""Their first bytes can be those of JSON or XML: `[] a :Sale .`, `<urn:a> <urn:b> 1 .`"""

_TRIPLE = re.compile(rb"<[^\s<>]+>\s+(?:<[^\s<>]+>|a)\s+[<\"_\[]")
_TURTLE_WORD = re.compile(rb"(?:@prefix|@base|PREFIX|BASE)\s", re.IGNORECASE)
_FIRST_LINE = re.compile(rb"\s*+([^\n]++)\n?")
_ELEMENT = re.compile(rb"^[ \t]*+(?:\{[^\n]*\},[ \t\r]*$|,)", re.MULTILINE)
_OBJECT_LINE = re.compile(rb"^\{[^\n]*\}[ \t\r]*$", re.MULTILINE)


def suffix_format(name: str) -> Format | None:
    """The format that the end of a name stands for, `.gz` passed over; None where it stands for
    none.
    """
    return SUFFIXES.get(PurePath(name.lower().removesuffix(".gz")).suffix)


def format_of(name: str, head: bytes, *, whole: bool) -> Format:
    """The format of a file by its name and its first bytes, `whole` where these are all; raises
    where it is unclear.
    """
    by_suffix = suffix_format(name)
    if head.startswith(b"PAR1"):
        return Format.PARQUET
    if by_suffix in _BY_SUFFIX_ALONE:
        return by_suffix
    start = head.lstrip()[:1]
    if start in (b"{", b"["):
        return _json_format(head, by_suffix, whole)
    if by_suffix in (Format.XML, Format.RDF_XML, Format.PARQUET):
        return by_suffix
    if not start or has_object_line(head):
        return Format.JSON_LINES
    if start == b"<":
        # RDF/XML shows in its root
        return Format.TURTLE if _TRIPLE.match(head.lstrip()) else Format.XML
    if _TURTLE_WORD.match(head.lstrip()):
        return Format.TURTLE
    raise unclear(name, head)


def unclear(name: str, head: bytes) -> MeaningProblem:
    """The one problem of a file that is none of the formats; it says what it looks like."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _refused(f"{name} is UTF-16", "save it as UTF-8")
    found = _FIRST_LINE.match(head)
    line = found[1].strip().decode("utf-8", "replace")[:60] if found else ""
    if b"\0" in head[:4096]:
        return _refused(f"{name} holds bytes that are no text", _FORMATS)
    if re.match(r"(---|- |[\w-]+:(\s|$))", line):
        return _refused(
            f"{name} looks like YAML: {line!r}",
            "events are no YAML; write JSON Lines, or " + _FORMATS,
        )
    return _refused(f"{name} is no file of events: its first line is {line!r}", _FORMATS)


def is_json_lines(head: bytes, *, whole: bool) -> bool:
    """Whether a text that begins as JSON does is lines of JSON; else it is a document, right or
    wrong.
    """
    first = _FIRST_LINE.match(head)
    if first is None:
        return True
    # one line, longer than the head: an array is split, an object is a line
    if first.end() == len(head) and not whole:
        return head.lstrip().startswith(b"{")
    if _is_value(first[1], dict | list):
        return first[1].startswith(b"{")
    return not _begins_document(head, whole) and _has_more_lines_than_elements(head)


def _json_format(head: bytes, by_suffix: Format | None, whole: bool) -> Format:
    if by_suffix is Format.JSON_LD:
        return Format.JSON_LD
    return Format.JSON_LINES if is_json_lines(head, whole=whole) else Format.JSON


def _begins_document(head: bytes, whole: bool) -> bool:
    """Whether the text begins with one JSON value over several lines; cut off at a line's end it
    may go on.
    """
    text = head if whole else head[: head.rfind(b"\n") + 1]
    known = text.decode("utf-8", "replace").strip()
    try:
        _, end = _DECODER.raw_decode(known)
    except json.JSONDecodeError as error:
        return not whole and error.pos >= len(known)
    except (RecursionError, ValueError):
        return True
    return "\n" in known[:end]


def _has_more_lines_than_elements(head: bytes) -> bool:
    """Whether objects stand in lines of their own, and not in a broken array, where commas stand
    between them.
    """
    lines = sum(1 for found in _OBJECT_LINE.finditer(head) if _is_value(found.group(), dict))
    return lines > (len(_ELEMENT.findall(head)) if head.lstrip().startswith(b"[") else 0)


def has_object_line(head: bytes) -> bool:
    """Whether a line, from its first byte on, is a JSON object by itself."""
    return any(_is_value(found.group(), dict) for found in _OBJECT_LINE.finditer(head))


def _is_value(line: bytes, kinds: type | UnionType) -> bool:
    """Whether a line is a JSON value by itself, of these kinds."""
    try:
        return isinstance(_DECODER.decode(line.decode("utf-8", "replace")), kinds)
    except (RecursionError, ValueError):
        return False


def _refused(message: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="FormatError", hint=hint)


_DECODER = json.JSONDecoder()
_FORMATS = f"--format says what it is: {', '.join(Format)}"
