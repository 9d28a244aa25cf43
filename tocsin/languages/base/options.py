"""Options of a subscription, for a language that takes any; unknown ones are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from tocsin.errors import MeaningProblem

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})


def option_problem(message: str, token: object, hint: str) -> MeaningProblem:
    """Return the problem of an option that is unknown or has an invalid value."""
    return MeaningProblem(message, code="OptionError", token=str(token), hint=hint)


def refuse_unknown(given: Iterable[str], language: str, known: Iterable[str] = ()) -> None:
    """Raise at the first name of an option that the language does not take."""
    names = tuple(known)
    for name in given:
        if name not in names:
            takes = f"takes: {', '.join(names)}" if names else "takes no options"
            raise option_problem(f"the option {name!r} is not known", name, f"{language} {takes}")
