"""Small damage: to a text, to the values of a JSON document, and to the texts inside of it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

_WORDS = (
    *(
        "",
        " ",
        "\x00",
        "\ufeff",
        "\ud800",
        "\u202e",
        "é",
        "e\u0301",
        "𝔘",
        "\n",
        "\r",
        "\t",
        "\\",
        '"',
        "'",
        "`",
    ),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "</",
        "/>",
        "<!--",
        "]]>",
        "<![CDATA[",
        "&amp;",
        "&#0;",
        "&x;",
        ";",
        ",",
        ".",
    ),
    *(
        "null",
        "true",
        "NaN",
        "Infinity",
        "-0",
        "0",
        "1",
        "-1",
        "1e999",
        "1e-999",
        "9" * 40,
        "0x10",
        "1_000",
        "١",
        "0.1",
    ),
    *(
        "AND",
        "OR",
        "NOT",
        "IN",
        "LIKE",
        "BETWEEN",
        "IS NULL",
        "EXISTS",
        "WHERE",
        "CONSTRUCT",
        "FILTER",
        "OPTIONAL",
        "*",
    ),
    *(
        "+",
        "|",
        "!",
        "=|",
        "||",
        "&&",
        "@",
        "^^",
        "$x",
        "?x",
        "#A",
        "_:b",
        "%",
        "_",
        "\\E",
        "(?:a+)+",
        "..",
        "//*",
    ),
    *(
        "10s",
        "0s",
        "-5s",
        "1e9d",
        "2026-02-30",
        "0000-00-00T00:00:00Z",
        "9999-12-31T23:59:60Z",
        "P1D",
        "POINT (1 2)",
    ),
    *(
        "POLYGON ((0 0, 1 1, 0 1, 1 0, 0 0))",
        "GEOMETRYCOLLECTION EMPTY",
        "POINT (NaN 1)",
        "urn:epc:id:sgtin:1.2.3",
    ),
)
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**53 + 1,
        2**63,
        -(2**64),
        10**30,
        0.1,
        -0.0,
        1e308,
        5e-324,
        [],
        {},
        [[]],
        [{}],
    ),
    *(
        [None],
        {"": None},
        {"@id": 1},
        {"@type": [{"a": 1}]},
        {"@value": []},
        {"@context": 7},
        [1, "1", None, {}],
        "x" * 5_000,
    ),
    *([[[[[[[[[[]]]]]]]]]], {"type": {"type": []}}, {"@list": [[]]}, ["a"] * 300, *_WORDS),
)
_DEEPEST = 40


def mutated_text(chance: random.Random, text: str, others: Sequence[str]) -> str:
    """The text with one to four places changed."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        text = chance.choice(_DAMAGES)(chance, text, others)
    return text


def mutated_line(chance: random.Random, line: str, others: Sequence[str]) -> str:
    """A line with damage: to its letters, or to what the JSON in it says."""
    if chance.random() < 0.25:
        return mutated_text(chance, line, others)
    try:
        body = json.loads(line)
    except ValueError:
        return mutated_text(chance, line, others)
    for _ in range(chance.choice((1, 1, 2, 5))):
        body = _mutated_value(chance, body, others, 0)
    return json.dumps(body, ensure_ascii=chance.random() < 0.5)


def _mutated_value(chance: random.Random, value: Any, others: Sequence[str], depth: int) -> Any:
    if depth < _DEEPEST and isinstance(value, dict) and value and chance.random() < 0.9:
        return _mutated_object(chance, value, others, depth)
    if depth < _DEEPEST and isinstance(value, list) and value and chance.random() < 0.9:
        return _mutated_list(chance, value, others, depth)
    if isinstance(value, str) and chance.random() < 0.6:
        return mutated_text(chance, value, others)
    return chance.choice(_VALUES)


def _mutated_object(
    chance: random.Random, value: dict[str, Any], others: Sequence[str], depth: int
) -> Any:
    name, changed = chance.choice(list(value)), dict(value)
    what = chance.random()
    if what < 0.08:
        del changed[name]
    elif what < 0.14:
        changed[chance.choice(_WORDS)] = changed.pop(name)
    elif what < 0.2:
        changed[
            chance.choice(("data", "@id", "@type", "@graph", "type", "id", "place", "time"))
        ] = chance.choice(_VALUES)
    elif what < 0.24:
        changed[name] = value
    else:
        changed[name] = _mutated_value(chance, value[name], others, depth + 1)
    return changed


def _mutated_list(
    chance: random.Random, value: list[Any], others: Sequence[str], depth: int
) -> Any:
    at, changed = chance.randrange(len(value)), list(value)
    what = chance.random()
    if what < 0.1:
        del changed[at]
    elif what < 0.2:
        changed *= chance.choice((2, 30))
    elif what < 0.3:
        changed.insert(at, chance.choice(_VALUES))
    else:
        changed[at] = _mutated_value(chance, value[at], others, depth + 1)
    return changed


def _insert(chance: random.Random, text: str, _: Sequence[str]) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(_WORDS) + text[at:]


def _delete(chance: random.Random, text: str, _: Sequence[str]) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + text[at + chance.choice((1, 1, 2, 8, 50)) :]


def _repeat(chance: random.Random, text: str, _: Sequence[str]) -> str:
    first, last = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
    times = chance.choice((2, 3, 20, 200)) if last - first < 50 else 2
    return text[:first] + text[first:last] * times + text[last:]


def _replace(chance: random.Random, text: str, _: Sequence[str]) -> str:
    at = chance.randint(0, len(text))
    return (
        text[:at]
        + chr(chance.choice((chance.randrange(128), chance.randrange(0xD7FF))))
        + text[at + 1 :]
    )


def _swap_words(chance: random.Random, text: str, _: Sequence[str]) -> str:
    words = text.split(" ")
    one, other = chance.randrange(len(words)), chance.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return " ".join(words)


def _splice(chance: random.Random, text: str, others: Sequence[str]) -> str:
    other = chance.choice(others) if others else text
    first, last = sorted((chance.randint(0, len(other)), chance.randint(0, len(other))))
    at = chance.randint(0, len(text))
    return text[:at] + other[first:last] + text[at + last - first :]


_DAMAGES: tuple[Callable[[random.Random, str, Sequence[str]], str], ...] = (
    *(_insert, _insert, _delete, _delete, _repeat, _replace, _swap_words, _splice),
)
