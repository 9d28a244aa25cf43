"""YAML as the values that JSON has, each with its line. The only door to PyYAML.

Plain words are texts: only `true`, `false`, `null` and decimal numbers mean something else, so that
a day is no date and `on` no truth value. Aliases, which let a short text stand for a huge one, and
repeated keys are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from tocsin.errors import LimitProblem, MeaningProblem, Place

MAX_CHARACTERS = 4 << 20
_CODE = "SubscriptionFormatError"


def yaml_values(text: str) -> Iterator[tuple[int, Any]]:
    """The line and value of each item of the lists that the text is, or of each other document in
    it.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"the YAML has more than {MAX_CHARACTERS:,} characters"
        raise LimitProblem(
            message,
            code="SubscriptionLimitError",
            hint="write JSON Lines, which may have any length",
        )
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
    except RecursionError:
        raise LimitProblem("the YAML nests too deep", code="SubscriptionLimitError") from None


class _Loader(yaml.SafeLoader):
    """The core values of YAML 1.2, which are those of JSON."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # PyYAML looks for it here  # noqa: RUF012

    def compose_node(self, parent: Any, index: Any) -> Any:
        """A node of the text; an alias is none."""
        if self.check_event(yaml.AliasEvent):
            mark = self.get_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(None, None, "an alias is not served: write it out", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """A mapping with each key once."""
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
