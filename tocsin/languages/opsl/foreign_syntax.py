"""Hints for syntax borrowed from other languages."""

from __future__ import annotations

import re

from tocsin.languages.opsl.slip import OpslErrorContext

_COMPARISON = re.compile(
    r"((?:\.\w+)*)\s*(<=|>=|<>|!=|==|=|<|>)\s*('[^']*'|\"[^\"]*\"|[+-]?[\w.]+)"
)
_PHRASE = re.compile(
    r"((?:\.\w+)*)\s*((?:NOT\s+)?(?:LIKE|BETWEEN|IN\s*\(|IS\b)[^)]*\)?)", re.IGNORECASE
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_UNIT = re.compile(r"\s*([A-Za-z]+)")
_METRES = {
    "m": 1.0,
    "metre": 1.0,
    "metres": 1.0,
    "meter": 1.0,
    "meters": 1.0,
    "cm": 0.01,
    "km": 1_000.0,
    "ft": 0.3048,
    "mi": 1_609.344,
    "mile": 1_609.344,
    "miles": 1_609.344,
    "nm": 1_852.0,
    "nmi": 1_852.0,
}
_SHAPES = frozenset(
    "POINT MULTIPOINT LINESTRING MULTILINESTRING GEOMETRYCOLLECTION CIRCLE BOX ENVELOPE"
    " RECTANGLE".split()
)
_CORNER = re.compile(r"\(\s*([+-]?[\d.]+)[\s,]+([+-]?[\d.]+)")


def hint_for_foreign_syntax(error: OpslErrorContext) -> str:
    """Return a hint for syntax borrowed from another language, or ""."""
    return _comparison(error) or _distance_with_unit(error) or _other_shape(error)


def _comparison(error: OpslErrorContext) -> str:
    """Return a hint for a comparison without a type, as in `price < 400`."""
    if not error.last_word or not error.could_be("BOTH"):
        return ""
    found = _COMPARISON.match(error.here)
    if found:
        path, relation, value = error.last_word + found[1], found[2].replace("==", "="), found[3]
        said = _typed(path, relation, value)
        typed = f"{said}, or " if said else ""
        return (
            f"a comparison has a type: {typed}selector{{ {path} {relation}"
            f" {_selector_value(value)} }}"
        )
    phrase = _PHRASE.match(error.here)
    return (
        f"say it as a selector: selector{{ {error.last_word}{phrase[1]} {phrase[2].strip()} }}"
        if phrase
        else ""
    )


def _typed(path: str, relation: str, value: str) -> str:
    if _NUMBER.fullmatch(value):
        return f"ARITH: {path} {relation} {value}"
    if relation not in ("=", "!=", "<>"):
        return ""
    return f"STRING: {path} {relation} {value if value[0] in _QUOTES else _quoted(value)}"


_QUOTES = "'\""


def _selector_value(value: str) -> str:
    if _NUMBER.fullmatch(value):
        return value
    return f"'{value[1:-1] if value[0] in _QUOTES else value}'"


def _quoted(word: str) -> str:
    return f'"{word}"'


def _distance_with_unit(error: OpslErrorContext) -> str:
    """Return a hint for a distance with a unit, as in `DIST(A; <; 5km)B`."""
    number, unit = re.search(rf"{_NUMBER.pattern}$", error.just_before), _UNIT.match(error.here)
    if error.operator != "DIST" or number is None or unit is None:
        return ""
    metres = _METRES.get(unit[1].lower())
    shown = f": {number[0]}{unit[1]} is {float(number[0]) * metres:g}" if metres else ""
    return (
        f"a distance is a number, in metres with the option crs EPSG:4326{shown}; else in the"
        " coordinates' own unit"
    )


def _other_shape(error: OpslErrorContext) -> str:
    """Return a hint for a shape that is not a region, as in `@(POINT(1 1))`."""
    word = error.last_word.upper()
    if word not in _SHAPES or not error.here.startswith("("):
        return ""
    corner = _CORNER.match(error.here)
    x, y = (float(corner[1]), float(corner[2])) if corner else (1.0, 1.0)
    (west, east), (south, north) = ((f"{each - 1:g}", f"{each + 1:g}") for each in (x, y))
    ring = f"POLYGON(({west} {south}, {east} {south}, {east} {north}, {west} {north}))"
    return (
        f"a region is a POLYGON or a MULTIPOLYGON, not a {word}; draw one around what is meant:"
        f" {ring}"
    )
