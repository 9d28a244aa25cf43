"""Source texts of parts: the first of equal parts counts, and a part that is replaced hands on its
text.
"""

from __future__ import annotations

import pytest

from tocsin.plan.nodes.atoms import Condition, IsNull
from tocsin.plan.nodes.composites import (
    AtRegion,
    Either,
    Fulfilling,
    Join,
    Named,
    Only,
    Part,
    Policy,
)
from tocsin.plan.nodes.expressions import Lasts
from tocsin.plan.nodes.sources import SourceRecorder, move_sources
from tocsin.plan.passes.simplify import fold_regions
from tocsin.values.scalars import Path
from tocsin.values.space import SpatialRelation


def atom(name: str) -> Condition:
    path: Path = (name,)
    return Condition(IsNull(path))


A, B, C = map(atom, "abc")
REGION = AtRegion(SpatialRelation.INSIDE, "POLYGON ((0 0, 1 0, 1 1, 0 0))")


def test_of_equal_parts_the_first_text_counts() -> None:
    recorder = SourceRecorder()
    assert recorder.add(A, "first") is A
    recorder.add(atom("a"), "second")
    assert recorder.find() == {A: "first"}


def test_a_text_of_a_definition_counts_where_the_text_itself_has_none() -> None:
    recorder, definition = SourceRecorder(), SourceRecorder()
    definition.add(A, "inside")
    definition.add(B, "also inside")
    recorder.add_definition(definition)
    recorder.add(A, lambda: "outside")
    assert recorder.find() == {A: "outside", B: "also inside"}


def test_a_replaced_part_of_a_definition_hands_on_its_text() -> None:
    recorder, definition = SourceRecorder(), SourceRecorder()
    definition.add(Named("x", A), "x: a")
    recorder.add_definition(definition)
    renamed = recorder.replace(Named("x", A), Named("p.x", A))
    assert recorder.find()[renamed] == "x: a"


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        (Join((A, B)), Join((A, B), policy=Policy.RECENT), {Join: "whole"}),
        (Join((A, B)), Join((A, C)), {Join: "whole", C: "b"}),
        (Join((A, B)), Only(Join((A, C)), Fulfilling((Lasts(5),))), {Join: "whole", C: "b"}),
        (Join((A, B)), Join((A, Named("n", C))), {Join: "whole", C: "b"}),
        (Join((A, Named("n", B))), Join((A, C)), {Join: "whole", C: "n: b"}),
        (Join((A, B)), Either((A, B)), {Either: "whole"}),
    ],
)
def test_parts_are_paired_by_their_place(
    before: Part, after: Part, moved: dict[object, str]
) -> None:
    sources = {before: "whole", A: "a", B: "b", Named("n", B): "n: b"}
    found = move_sources(sources, before, after)
    new = {part: text for part, text in found.items() if part not in sources}
    assert {
        type(part) if type(part) in moved else part: text for part, text in new.items()
    } == moved


def test_a_folded_region_hands_its_text_to_the_atom() -> None:
    whole = Join((Only(A, REGION), B))
    folded = fold_regions(whole)
    assert isinstance(folded, Join)
    found = move_sources({Only(A, REGION): "@(Depot)a", A: "a"}, whole, folded)
    assert found[folded.parts[0]] == "@(Depot)a"
    assert isinstance(folded.parts[0], Condition)
