"""Rules 1 and 2: a subscription designates the event that is sent, in one way only (spec 3.5)."""

from __future__ import annotations

from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.syntax import ExmlqlSubscription, uses_of


def check_rules(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    """Add a problem for each broken rule, in the order 2.2, 2.1, 1."""
    if subscription.construct is None:
        _check_designation(subscription, problems)
        if subscription.order is not None:
            hint = "leave ORDER-BY out, or build something with CONSTRUCT"
            problems.add(
                SYNTAX_CODE, subscription.order.spot, "ORDER-BY orders what CONSTRUCT builds", hint
            )
        return
    if subscription.mode is not None:
        operator = subscription.mode.operator
        problems.add(
            "EventForwardingConflict",
            operator,
            f"CONSTRUCT makes an event and {operator.text} designates another (rule 2.2)",
            f"leave out CONSTRUCT, or {operator.text} and its blocks",
        )
    elif _selects_unclearly(subscription) and subscription.contexts:
        problems.add(
            "EventSelectionConfusion",
            subscription.contexts.names[0],
            "without a temporal operator it is unclear from which events to construct (rule 2.1)",
            "add Recent to CONTEXT, leave CONTEXT out, or relate the blocks in time",
        )


def _selects_unclearly(subscription: ExmlqlSubscription) -> bool:
    labelled = any(item.label for item in subscription.blocks)
    given = (
        {name.text for name in subscription.contexts.names} if subscription.contexts else {"Recent"}
    )
    return not subscription.has_operator and labelled and "Recent" not in given


def _check_designation(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    """Check rule 1: without CONSTRUCT, one of several matched events is designated with `~>`."""
    labelled = list(
        {
            item.label.text: item.label for item in reversed(subscription.blocks) if item.label
        }.values()
    )[::-1]
    hint = "say which event is sent with ~> #X, or build one with CONSTRUCT"
    mode, time = subscription.mode, subscription.time
    if time is None or not subscription.has_operator:
        if len(labelled) > 1:
            message = f"{len(labelled)} blocks match events and none is designated (rule 1.1)"
            problems.add("EventForwardingConfusion", labelled[1], message, hint)
    elif mode is None:
        message = "several events match and none is designated (rule 1.2)"
        problems.add("EventForwardingConfusion", next(uses_of(time)), message, hint)
    elif mode.kind == "=>":
        message = "=> forwards a matched event, and here several match (rule 1.2)"
        problems.add("EventForwardingConfusion", mode.operator, message, hint)
