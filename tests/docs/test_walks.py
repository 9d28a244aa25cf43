"""The walks of CONTRIBUTING.md lead through what is there: every file in them exists, and every name
stands in a file of its step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WALKS = (ROOT / "CONTRIBUTING.md").read_text().partition("## Three walks")[2]
SUFFIXES = (".lark", ".md", ".py", ".toml", ".ts")


@dataclass
class Step:
    """One step or paragraph: the files and folders in it, and the names that these should have."""

    text: str
    paths: list[Path] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def missing(self) -> list[str]:
        """What is named and not there."""
        there = [path for path in self.paths if path.exists()]
        source = "\n".join(file.read_text() for path in there for file in files_of(path))
        absent = [name for name in self.names if not re.search(rf"\b{name}\b", source)]
        return [str(path.relative_to(ROOT)) for path in self.paths if path not in there] + absent


def files_of(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def steps_of(walks: str) -> Iterator[Step]:
    """The steps one after the other; a file without a folder is beside the one named before."""
    folder = ROOT
    for text in re.split(r"\n\n|\n(?=\d+\. )", walks.strip()):
        step = Step(text)
        for token in re.findall(r"`([^`]+)`", text):
            if "/" in token or token.endswith(SUFFIXES):
                path = (ROOT if "/" in token else folder) / token
                folder = path if path.is_dir() else path.parent
                step.paths.append(path)
            elif token.isidentifier():
                step.names.append(token)
        yield step


STEPS = [step for step in steps_of(WALKS) if step.paths]


def test_the_walks_have_their_steps() -> None:
    assert len(STEPS) > 20


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.text[:30])
def test_a_step_names_what_is_there(step: Step) -> None:
    assert step.missing() == []


def test_what_is_not_there_is_noticed() -> None:
    (step,) = steps_of("1. `tocsin/plan/wire/wire.py`: `plan_to_json`, `dance`, and `nowhere.py`")
    assert step.missing() == ["tocsin/plan/wire/nowhere.py", "dance"]
