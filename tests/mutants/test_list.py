"""The list of mutants fits the code: every text is there once, every test exists, and there are
enough of them.
"""

from __future__ import annotations

import pytest

from tests.mutants.run import ROOT, Mutant, mutants


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_applied(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text()
    assert mutant.applied_to(text) != text
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / file).read_text()


def test_mutants_are_in_all_that_decides() -> None:
    folders = {tuple(each.file.split("/")[1:3]) for each in mutants()}
    decides = {
        ("engine", part) for part in ("detection", "conditions", "graphs", "concepts", "xml")
    }
    assert folders >= decides
    assert {folder for folder, _ in folders} == {"engine", "plan", "reference", "values"}
    assert len({each.name for each in mutants()}) == len(mutants())
