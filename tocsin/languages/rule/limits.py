"""Limits of a rule. A text beyond one is refused with RuleLimitError and the reason, before it can
cost anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.languages.base.limits import TextLimits, limit_problems
from tocsin.plan.nodes.measures import LONGEST_WINDOW
from tocsin.values.time import Duration


@dataclass(frozen=True, slots=True)
class RuleLimits(TextLimits):
    """Bytes of text in UTF-8; nesting; parts; keys of FOR EACH; steps in a row; repeats of a part;
    longest duration.

    Each AND and THEN in a row is a level of nesting.
    """

    nesting: int = 100
    parts: int = 1024
    keys: int = 64
    steps: int = 50
    times: int = 10_000
    duration: Duration = LONGEST_WINDOW


exceeded = limit_problems("RuleLimitError")
