"""The texts of the specification that are refused; tests/scenarios runs those that ring, on every
host.
"""

from __future__ import annotations

import pytest

from tests.scenarios.loading import Refusal, refusals
from tocsin.knowledge.ontology import open_ontology
from tocsin.languages import problems_in_subscription
from tocsin.languages.base.reading import Context, Definition
from tocsin.languages.concept import tbox_of_text


def context_of(ontology: str | None, definitions: dict[str, Definition] | None = None) -> Context:
    return Context(definitions or {}, open_ontology().with_tbox(tbox_of_text(ontology or "")))


@pytest.mark.parametrize(
    "refusal", list(refusals("concept.toml")), ids=lambda refusal: refusal.name
)
def test_refused(refusal: Refusal) -> None:
    found = problems_in_subscription(
        "concept", refusal.subscription.expression, {}, context_of(refusal.ontology)
    )
    assert tuple(problem.code for problem in found) == refusal.problems
