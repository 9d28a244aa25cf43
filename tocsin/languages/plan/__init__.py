"""The language `plan`: the wire form of a plan about one event, as other servers send it.

Begin with `parse` in this file; a text is written by `plan_to_json`, and `well_formed.py` checks
the type of every value, since another program may have written anything. Ontologies go by their
fingerprints: a plan that refers to one is understood where the same ontology is known. The option
`paths` is for the sender and means nothing here.

Imports: `errors`, `events`, `knowledge`, `languages.base`, `plan`.
Test a change with: `tests/languages/test_plan.py`, `tests/service/federation`.
"""

from __future__ import annotations

from functools import cache

from tocsin.errors import MeaningProblem, Problem, UnsupportedProblem
from tocsin.events.views.names import VOCABULARY
from tocsin.knowledge.concepts.tbox import EMPTY, TBox
from tocsin.knowledge.ontology import Ontology, open_ontology
from tocsin.languages.base.reading import (
    EMPTY_CONTEXT,
    NO_OPTIONS,
    Context,
    Options,
    Reading,
    capture_problems,
    refuse_unknown,
)
from tocsin.languages.plan.well_formed import misfit
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Forward, Plan
from tocsin.plan.wire.wire import plan_from_json

__all__ = ["PATHS", "parse"]

PATHS = "paths"
_HINT = "plans are written by servers for servers; write a subscription in another language"


@capture_problems
def parse(text: str, options: Options = NO_OPTIONS, context: Context = EMPTY_CONTEXT) -> Reading:
    """Return the reading of a text; refused if it is not a plan or is about several events."""
    refuse_unknown(options, "plan", (PATHS,))
    plan = _read(text, context)
    if not isinstance(plan.pattern, Atom) or not isinstance(plan.output, Forward):
        raise UnsupportedProblem(
            "a plan from elsewhere is about one event, which it forwards",
            code="PlanFormatError",
            hint="combinations are detected where they were subscribed",
        )
    return Reading(plan)


def _read(text: str, context: Context) -> Plan:
    try:
        plan = plan_from_json(text, _known(context))
    except Problem as problem:
        raise MeaningProblem(
            problem.message, code=problem.code, token=problem.token, hint=problem.hint or _HINT
        ) from None
    except (AttributeError, RecursionError, TypeError, ValueError) as error:
        raise MeaningProblem(f"no plan: {error}", code="PlanFormatError", hint=_HINT) from None
    if where := misfit(plan, Plan):
        raise MeaningProblem(
            f"{where} is not what a plan has there", code="PlanFormatError", hint=_HINT
        )
    return plan


def _known(context: Context) -> list[Ontology | TBox]:
    found: list[Ontology | TBox] = [EMPTY, _open()]
    if isinstance(context.ontology, Ontology):
        found.append(context.ontology)
        if isinstance(context.ontology.tbox, TBox):
            found.append(context.ontology.tbox)
    return found


@cache
def _open() -> Ontology:
    """Return the ontology that graphs use if none is given."""
    return open_ontology(VOCABULARY)
