"""Where the selector and the jms dialect differ in meaning: one row of facts each."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.languages.selector.hints import JMS_WORDING, NATIVE_WORDING, Wording
from tocsin.plan.expression import Semantics
from tocsin.values.truth import Truth


@dataclass(frozen=True, slots=True)
class Rules:
    """The facts of one dialect.

    `mismatch` is the value of every operator, negated ones included, on a value of the wrong kind; an explicit NOT
    turns it over like any other value. With `java` come Java's numbers, names as conditions, a lenient ESCAPE, and
    LIKE, IN and IS NULL for names only, with IN for strings only (Jakarta Messaging 3.1, section 3.8.1.1).
    """

    semantics: Semantics
    wording: Wording
    mismatch: Truth
    java: bool

    @property
    def negated_mismatch(self) -> Truth:
        """What the positive predicate gives on a mismatch so that its negated operator gives `mismatch`."""
        return Truth(2 - self.mismatch)


NATIVE = Rules(Semantics.SELECTOR, NATIVE_WORDING, Truth.UNKNOWN, java=False)
JMS = Rules(Semantics.JMS, JMS_WORDING, Truth.FALSE, java=True)
