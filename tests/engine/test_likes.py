"""What is remembered of texts changes no answer, however little is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import patterns
from tocsin.engine.conditions import likes
from tocsin.engine.conditions.likes import LikeProbes
from tocsin.engine.conditions.probes import AttributeProbes, ProbeTable
from tocsin.engine.index.encoding import Distinct, number_values
from tocsin.engine.index.matcher_parts import WorkCounters
from tocsin.values.like import LikePattern, compile_like


def answered(index: LikeProbes, texts: list[str]) -> list[set[int]]:
    """The probes of each different text of a batch."""
    different, codes = number_values(texts)
    answers = index.answers(Distinct(different, codes))
    if answers is None:
        return [set() for _ in different]
    spans = zip(answers.starts.tolist(), answers.counts.tolist(), strict=True)
    return [set(answers.lists[start : start + count].tolist()) for start, count in spans]


@pytest.mark.parametrize("remembered", [likes._REMEMBERED_PROBES, 3, 0])
@pytest.mark.parametrize("length", [likes._REMEMBERED_LENGTH, 1])
@given(
    st.lists(patterns(), min_size=1, max_size=5, unique=True),
    st.lists(st.lists(st.text("ab_%", max_size=4), min_size=1, max_size=6), max_size=4),
)
def test_texts_match_what_they_match_alone(
    remembered: int, length: int, given_patterns: list[LikePattern], batches: list[list[str]]
) -> None:
    index = LikeProbes(AttributeProbes(ProbeTable(), 0, lambda: None), WorkCounters())
    probes = {index.probe(pattern): compile_like(pattern) for pattern in given_patterns}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(likes, "_REMEMBERED_PROBES", remembered)
        patched.setattr(likes, "_REMEMBERED_LENGTH", length)
        for texts in batches:
            assert answered(index, texts) == [
                {probe for probe, matches in probes.items() if matches(text)}
                for text in dict.fromkeys(texts)
            ]
