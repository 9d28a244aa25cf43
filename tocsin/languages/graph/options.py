"""The options of a graph subscription: injective and strict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.errors import MeaningProblem
from tocsin.plan.graphs import Injective

_NAMES = ("injective", "strict")


@dataclass(frozen=True, slots=True)
class Settings:
    """Which different ids must be different vertices; whether types wider than what the ontology allows are refused."""

    injective: Injective = Injective.RESOURCES
    strict: bool = False


def settings_of(options: Mapping[str, object]) -> Settings:
    """The settings of a subscription's options; raises where one is not known or means nothing."""
    for name in options:
        if name not in _NAMES:
            raise _problem(f"the option {name!r} is not known", str(name), f"graph takes: {', '.join(_NAMES)}")
    return Settings(_injective(options.get("injective", "resources")), _strict(options.get("strict", False)))


def _injective(value: object) -> Injective:
    choices = {choice.value: choice for choice in Injective}
    if not isinstance(value, str) or value not in choices:
        raise _problem(f"injective {value!r} is not known", "injective", f"write one of {', '.join(choices)}")
    return choices[value]


def _strict(value: object) -> bool:
    if not isinstance(value, bool):
        raise _problem(f"strict is true or false, got {value!r}", "strict", "write true or false")
    return value


def _problem(message: str, token: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="OptionError", token=token, hint=hint)
