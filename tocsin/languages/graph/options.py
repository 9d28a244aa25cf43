"""Options of a graph subscription: injective, strict and strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from tocsin.languages.base.options import option_problem, refuse_unknown
from tocsin.plan.nodes.graphs import Injective, Strategy

Choice = TypeVar("Choice", bound=Enum)

_NAMES = ("injective", "strict", "strategy")


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """Options of a subscription.

    `injective`: the ids that must have different images. `strict`: refuse types wider than the
    ontology allows. `strategy`: the matching algorithm.
    """

    injective: Injective = Injective.RESOURCES
    strict: bool = False
    strategy: Strategy = Strategy.DEFAULT


def settings_of(options: Mapping[str, object]) -> GraphOptions:
    """Return the settings of a subscription's options; raise if one is unknown or invalid."""
    refuse_unknown(options, "graph", _NAMES)
    return GraphOptions(
        _choice("injective", options.get("injective", "resources"), Injective),
        _strict(options.get("strict", False)),
        _choice("strategy", options.get("strategy", "default"), Strategy),
    )


def _choice(name: str, value: object, kind: type[Choice]) -> Choice:
    choices = {choice.value: choice for choice in kind}
    if not isinstance(value, str) or value not in choices:
        raise option_problem(
            f"{name} {value!r} is not known", name, f"write one of {', '.join(choices)}"
        )
    return choices[value]


def _strict(value: object) -> bool:
    if not isinstance(value, bool):
        raise option_problem(
            f"strict is true or false, got {value!r}", "strict", "write true or false"
        )
    return value
