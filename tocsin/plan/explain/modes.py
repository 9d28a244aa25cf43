"""Composite modes of the E-XML-QL paper (definition 2), and the states of its figure 3."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.plan.explain.template_text import construct_text
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.xml.construction import Construct

_MODES = {
    (False, False): ("forward", "forwarding", "the matched event itself"),
    (False, True): ("trigger", "triggering", "an event that several others bring about"),
    (True, False): ("split", "splitting", "new events out of one"),
    (True, True): ("aggregate", "aggregating", "new events out of several"),
}
"""Modes by two facts: the plan constructs documents, and the plan is about several events."""


def mode_lines(plan: Plan) -> Iterator[str]:
    """Yield the mode with its output, the states of a subscription, and its construction."""
    builds = isinstance(plan.output, Construct)
    name, state, what = _MODES[builds, not isinstance(plan.pattern, Atom)]
    yield f"mode           {name}: {what}"
    yield f"states         detecting, on a detection {state}, then detecting again"
    if isinstance(plan.output, Construct):
        yield f"builds         {construct_text(plan.output)}"
