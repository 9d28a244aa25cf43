"""The meaning of an OPSL text: its part, and everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.languages.base.context import Context
from tocsin.languages.base.texts import Problems
from tocsin.languages.opsl.limits import Limits
from tocsin.languages.opsl.lower import Walk
from tocsin.languages.opsl.names import Meaning, Names
from tocsin.languages.opsl.options import Settings, settings_of
from tocsin.languages.opsl.read import read
from tocsin.languages.opsl.variables import order_of_bindings
from tocsin.languages.opsl.where import attached
from tocsin.plan.composites import Part


def meaning_of(
    text: str, options: Mapping[str, object], context: Context, limits: Limits
) -> Meaning:
    """What a subscription means; raises what leaves nothing to look at: wrong options, syntax,
    limits.
    """
    settings = settings_of(options)

    def lowered(each: str, names: Names, level: int) -> Meaning:
        return _lowered(each, names, level, settings, limits)

    return lowered(text, Names(context, lowered), 0)


def _lowered(text: str, names: Names, level: int, settings: Settings, limits: Limits) -> Meaning:
    subscription = read(text, limits)
    problems = Problems(text)
    variables: dict[str, Part] = {}
    walk = Walk(problems, settings, limits, names, variables)
    for binding in order_of_bindings(subscription, problems):
        variables[binding.name] = walk.part(binding.definition, level)
        walk.check_size(variables[binding.name], binding.spot)
    pattern = walk.part(subscription.main, level)
    walk.check_size(pattern, subscription.spot)
    pattern = attached(pattern, subscription.comparisons, variables, problems)
    return Meaning(pattern, problems.in_reading_order())
