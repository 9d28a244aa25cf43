"""Differences in meaning between the dialects selector, jms and amqp: one row of facts each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tocsin.languages.base.texts import SourceSpan
from tocsin.languages.selector.amqp_names import amqp_value
from tocsin.languages.selector.literals import path_of
from tocsin.languages.selector.wording import AMQP_WORDING, JMS_WORDING, NATIVE_WORDING, Wording
from tocsin.plan.nodes.expression import Attribute, Expression, Semantics
from tocsin.plan.semantics.arithmetic import AMQP as AMQP_COMPARING
from tocsin.plan.semantics.arithmetic import JMS as JMS_COMPARING
from tocsin.plan.semantics.arithmetic import SELECTOR as SELECTOR_COMPARING
from tocsin.plan.semantics.arithmetic import Comparing
from tocsin.values.truth import Truth, negation

Named = Callable[[SourceSpan, str], Expression]
"""Lookup of the value of a name, given the whole text for its places."""


def _plain(spot: SourceSpan, _: str) -> Expression:
    return Attribute(path_of(spot.text))


@dataclass(frozen=True, slots=True)
class Dialect:
    """Facts of one dialect.

    `comparing` gives the result for values of unlike kinds. `bare` is the result of a name alone
    for a value that is not a truth value; without it a name alone is refused. `java` means Java's
    numbers, and LIKE, IN and IS NULL for names only, with IN for strings only (Jakarta Messaging
    3.1, section 3.8.1.1). `mixed` allows unlike kinds in a comparison and `mixed_lists` in a list,
    where the others refuse them; `times` compares `ce_time` and `ce_endtime` as instants.
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
        """Result of a predicate for a value of the wrong kind."""
        return self.comparing.mismatch

    @property
    def negated_mismatch(self) -> Truth:
        """Result of the positive predicate under a negated operator, such as NOT IN."""
        return self.mismatch if self.comparing.unequal_is_not_equal else negation(self.mismatch)

    @property
    def not_like_mismatch(self) -> Truth:
        """Result of LIKE under NOT LIKE."""
        return (
            self.like_mismatch
            if self.comparing.unequal_is_not_equal
            else negation(self.like_mismatch)
        )


NATIVE = Dialect(Semantics.SELECTOR, NATIVE_WORDING, SELECTOR_COMPARING)
JMS = Dialect(
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
AMQP = Dialect(
    Semantics.AMQP,
    AMQP_WORDING,
    AMQP_COMPARING,
    named=amqp_value,
    bare=Truth.UNKNOWN,
    lenient_escape=True,
    mixed=True,
    mixed_lists=True,
)
