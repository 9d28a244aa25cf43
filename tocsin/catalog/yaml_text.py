"""YAML as the values of JSON, each with its line. The only module that imports PyYAML.

Plain words are texts: only `true`, `false`, `null` and decimal numbers have other types, so that a
day is not a date and `on` not a boolean. Aliases, which let a short text expand to a huge one, and
repeated keys are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from tocsin.errors import LimitProblem, MeaningProblem, Place
from tocsin.values.limits import YAML_LIMITS

_CODE = "SubscriptionFormatError"


def yaml_values(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the line and value of each list item, or of each document that is not a list."""
    if len(text) > YAML_LIMITS.characters:
        raise _too_much(f"the YAML has more than {YAML_LIMITS.characters:,} characters")
    loader = _Loader(text)
    try:
        while loader.check_node():
            node: Any = loader.get_node()
            nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
            for each in nodes:
                yield each.start_mark.line + 1, loader.construct_object(each, deep=True)
    except yaml.MarkedYAMLError as error:
        raise _malformed(error) from None
    except yaml.YAMLError as error:
        raise MeaningProblem(f"malformed YAML: {error}", code=_CODE) from None
    except ValueError as error:  # a number with more digits than Python converts
        raise MeaningProblem(f"malformed YAML: {error}", code=_CODE) from None


def _too_much(message: str, place: Place | None = None) -> LimitProblem:
    return LimitProblem(
        message,
        code="SubscriptionLimitError",
        place=place,
        hint="write JSON Lines, which may have any length",
    )


class _Loader(yaml.SafeLoader):
    """Loader of the core values of YAML 1.2, which are those of JSON."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # PyYAML looks for it here  # noqa: RUF012

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._count = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Return a node of the text, within the limits; raises for an alias."""
        if self.check_event(yaml.AliasEvent):
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(None, None, "an alias is not served: write it out", mark)
        self._count += 1
        self._depth += 1
        if self._count > YAML_LIMITS.values:
            raise _too_much(f"the YAML has more than {YAML_LIMITS.values:,} values", self._place())
        if self._depth > YAML_LIMITS.depth:
            raise _too_much(f"the YAML nests deeper than {YAML_LIMITS.depth} levels", self._place())
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def _place(self) -> Place:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        return Place(mark.line + 1, mark.column + 1)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping; raises if a key is repeated."""
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str) or not key:
                raise yaml.MarkedYAMLError(
                    None, None, f"a key is a text, got {key!r}", key_node.start_mark
                )
            if key in found:
                raise yaml.MarkedYAMLError(
                    None, None, f"the key {key!r} is given twice", key_node.start_mark
                )
            found[key] = self.construct_object(value_node, deep=deep)
        return found


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first
    )


def _malformed(error: yaml.MarkedYAMLError) -> MeaningProblem:
    mark = error.problem_mark or error.context_mark
    place = None if mark is None else Place(mark.line + 1, mark.column + 1)
    return MeaningProblem(
        f"malformed YAML: {error.problem or error.context}", code=_CODE, place=place
    )
