"""Detection of file formats: by the first bytes if they are clear, else by the suffix.

A file has lines unless it is a document. JSON is classified by its content: a first line that is an
object by itself begins JSON Lines; an array, or an object over several lines, begins a document. If
the first line is broken, a later line that is an object by itself shows that there are lines.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import PurePath
from types import UnionType

from tocsin.errors import MeaningProblem

HEAD = 1 << 20
"""The number of bytes inspected, at most, to detect the format of a file."""


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
"""Formats whose first bytes can be those of JSON or XML: `[] a :Sale .`, `<urn:a> <urn:b> 1 .`"""

_TRIPLE = re.compile(rb"<[^\s<>]+>\s+(?:<[^\s<>]+>|a)\s+[<\"_\[]")
_TURTLE_WORD = re.compile(rb"(?:@prefix|@base|PREFIX|BASE)\s", re.IGNORECASE)
_FIRST_LINE = re.compile(rb"\s*+([^\n]++)\n?")
_ELEMENT = re.compile(rb"^[ \t]*+(?:\{[^\n]*\},[ \t\r]*$|,)", re.MULTILINE)
_OBJECT_LINE = re.compile(rb"^\{[^\n]*\}[ \t\r]*$", re.MULTILINE)


def suffix_format(name: str) -> Format | None:
    """Return the format of a name's suffix, before `.gz`; None if it is unknown."""
    return SUFFIXES.get(PurePath(name.lower().removesuffix(".gz")).suffix)


def format_of(name: str, head: bytes, *, whole: bool) -> Format:
    """Return the format of a file by its name and its first bytes; raises if it is unclear.

    `whole` if these bytes are the whole file.
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
        # RDF/XML is recognised later, by its root
        return Format.TURTLE if _TRIPLE.match(head.lstrip()) else Format.XML
    if _TURTLE_WORD.match(head.lstrip()):
        return Format.TURTLE
    raise unclear(name, head)


def unclear(name: str, head: bytes) -> MeaningProblem:
    """Return the problem of a file of no known format; it says what the file looks like."""
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
    """True if a text that begins as JSON is lines of JSON; otherwise it is a document, valid or
    not.
    """
    first = _FIRST_LINE.match(head)
    if first is None:
        return True
    # one line, longer than the head: an array is a document, an object is a line
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
    """True if the text begins with one JSON value over several lines; a cut text may continue."""
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
    """True if objects are on lines of their own, and not in a broken array, separated by commas."""
    lines = sum(1 for found in _OBJECT_LINE.finditer(head) if _is_value(found.group(), dict))
    return lines > (len(_ELEMENT.findall(head)) if head.lstrip().startswith(b"[") else 0)


def has_object_line(head: bytes) -> bool:
    """True if a line, from its first byte on, is a JSON object by itself."""
    return any(_is_value(found.group(), dict) for found in _OBJECT_LINE.finditer(head))


def _is_value(line: bytes, kinds: type | UnionType) -> bool:
    """True if a line is a JSON value of these kinds by itself."""
    try:
        return isinstance(_DECODER.decode(line.decode("utf-8", "replace")), kinds)
    except (RecursionError, ValueError):
        return False


def _refused(message: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="FormatError", hint=hint)


_DECODER = json.JSONDecoder()
_FORMATS = f"--format says what it is: {', '.join(Format)}"
