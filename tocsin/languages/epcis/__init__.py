"""The language `epcis`: a SimpleEventQuery as a standing query about one event.

Begin with `parse` in this file. `read.py` takes the JSON object of the parameters or the XML of a
request, `parameters.py` knows them, `lower.py` makes one condition, `checks.py` warns.
`master_data.py`, with definitions and an ontology of locations, answers `WD_`, `HASATTR_` and
`EQATTR_`.

Imports: `errors`, `events`, `knowledge`, `languages.base`, `plan`, `values`.
Test a change with: `tests/events/epcis/test_queries.py`,
`tests/events/epcis/test_query_problems.py`.
"""

from __future__ import annotations

from functools import partial

from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.reading import (
    EMPTY_CONTEXT,
    NO_OPTIONS,
    Context,
    Options,
    Reading,
    capture_problems,
    refuse_unknown,
    whole_text,
)
from tocsin.languages.base.texts import reading_order
from tocsin.languages.epcis.checks import warnings_of
from tocsin.languages.epcis.lower import lower
from tocsin.languages.epcis.master_data import known_in
from tocsin.languages.epcis.read import read
from tocsin.plan.nodes.atoms import Condition
from tocsin.plan.nodes.composites import Plan

__all__ = ["parse"]


@capture_problems
def parse(text: str, options: Options = NO_OPTIONS, context: Context = EMPTY_CONTEXT) -> Reading:
    """Return the reading of a query, with its problems in the order of their places."""
    refuse_unknown(options, "epcis")
    ontology = context.ontology if isinstance(context.ontology, Ontology) else None
    query = read(text)
    condition, found = lower(query, ontology, known_in(context.definitions.values()))
    if found:
        return Reading(problems=tuple(sorted(found, key=reading_order)), syntax=query)
    plan, warn = Plan(Condition(condition)), partial(warnings_of, query)
    return Reading(plan, syntax=query, warn=warn, recorder=whole_text(plan, text))
