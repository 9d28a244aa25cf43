"""What the tests of concepts share: the TBox of the paper's example, events in short, and texts as
concept tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.builders import build_event
from tests.languages.asked import CONCEPT
from tocsin.events.event import Event
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.knowledge.ontology import open_ontology
from tocsin.languages.base.reading import Context
from tocsin.languages.concept import tbox_of_text
from tocsin.plan.nodes.concepts import ConceptTest

parse = CONCEPT.parse

PAPER = """
bizState := selling or transporting;
transporting := shipping or airlifting or landCarrying;
landCarrying = {railCarrying, roadCarrying};
"""


def context(tbox: TBox | str = PAPER) -> Context:
    known = tbox_of_text(tbox) if isinstance(tbox, str) else tbox
    return Context(ontology=open_ontology().with_tbox(known))


def concept_test(text: str, tbox: TBox | str = PAPER, world: str = "closed") -> ConceptTest:
    pattern = parse(text, {"world": world}, context(tbox)).pattern
    assert isinstance(pattern, ConceptTest)
    return pattern


def event_of(
    types: str = "TransactionEvent", data: Mapping[str, Any] | None = None, name: str = "e1"
) -> Event:
    """An event with its types, the first in the envelope and all in the data, and its data."""
    more = {"type": types.split()} if " " in types else {}
    return build_event(
        name, types.split(maxsplit=1)[0], 0, source="test", data={**(data or {}), **more}
    )
