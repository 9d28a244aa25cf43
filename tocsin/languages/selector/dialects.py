"""Where the dialects selector, jms and amqp differ in meaning: one row of facts each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tocsin.languages.base.texts import Spot
from tocsin.languages.selector.amqp_names import amqp_value
from tocsin.languages.selector.literals import path_of
from tocsin.languages.selector.wording import AMQP_WORDING, JMS_WORDING, NATIVE_WORDING, Wording
from tocsin.plan.nodes.expression import Attribute, Expression, Semantics
from tocsin.plan.semantics.arithmetic import AMQP as AMQP_COMPARING
from tocsin.plan.semantics.arithmetic import JMS as JMS_COMPARING
from tocsin.plan.semantics.arithmetic import SELECTOR as SELECTOR_COMPARING
from tocsin.plan.semantics.arithmetic import Comparing
from tocsin.values.truth import Truth, negation

Named = Callable[[Spot, str], Expression]
"""The value that a name stands for, given the whole text for its places."""


def _plain(spot: Spot, _: str) -> Expression:
    return Attribute(path_of(spot.text))


@dataclass(frozen=True, slots=True)
class Rules:
    """The facts of one dialect.

    `comparing` says what values of unlike kinds give. `bare` is what a name alone gives for a value
    that is no truth value; without it a name alone is refused. With `java` come Java's numbers, and
    LIKE, IN and IS NULL for names only, with IN for strings only (Jakarta Messaging 3.1, section
    3.8.1.1). `mixed` lets unlike kinds meet in a comparison and in a list, where the others refuse
    them; `times` compares `ce_time` and `ce_endtime` as instants.
    """

    semantics: Semantics
    wording: Wording
    comparing: Comparing
    named: Named = _plain
    bare: Truth | None = None
    like_mismatch: Truth = Truth.UNKNOWN
    lenient_escape: bool = False
    java: bool = False
    mixed: bool = False
    mixed_lists: bool = False
    times: bool = True

    @property
    def mismatch(self) -> Truth:
        """What a predicate gives for a value of the wrong kind."""
        return self.comparing.mismatch

    @property
    def negated_mismatch(self) -> Truth:
        """What the positive predicate gives under a negated operator, such as NOT IN."""
        return self.mismatch if self.comparing.unequal_is_not_equal else negation(self.mismatch)

    @property
    def not_like_mismatch(self) -> Truth:
        """What LIKE gives under NOT LIKE."""
        return (
            self.like_mismatch
            if self.comparing.unequal_is_not_equal
            else negation(self.like_mismatch)
        )


NATIVE = Rules(Semantics.SELECTOR, NATIVE_WORDING, SELECTOR_COMPARING)
JMS = Rules(
    Semantics.JMS,
    JMS_WORDING,
    JMS_COMPARING,
    bare=Truth.FALSE,
    like_mismatch=Truth.FALSE,
    lenient_escape=True,
    java=True,
    mixed=True,
    times=False,
)
AMQP = Rules(
    Semantics.AMQP,
    AMQP_WORDING,
    AMQP_COMPARING,
    named=amqp_value,
    bare=Truth.UNKNOWN,
    lenient_escape=True,
    mixed=True,
    mixed_lists=True,
)
