"""Prints what `scripts/test-ranges` installs: `lowest` the lower ends of all ranges, as
constraints; `tools` the pins of what the tests themselves need.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"
BESIDE = (ROOT / "benchmarks" / "pyproject.toml", ROOT / "examples" / "demo" / "pyproject.toml")
TOOLS = ("hypothesis", "pytest", "pytest-xdist")


def _project(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(path.read_text())["project"]
    return found


def ranges() -> Iterator[Requirement]:
    """What users install: the dependencies, those of every extra but `dev`, and those of the
    distributions beside the package.
    """
    project = _project(PROJECT)
    extras = project["optional-dependencies"]
    for each in (
        *project["dependencies"],
        *(one for name in extras if name != "dev" for one in extras[name]),
        *(one for path in BESIDE for one in _project(path)["dependencies"]),
    ):
        requirement = Requirement(each)
        if requirement.name != "tocsin":
            yield requirement


def lowest() -> Iterator[str]:
    """The lower end of every range."""
    for requirement in ranges():
        (lower,) = (each.version for each in requirement.specifier if each.operator == ">=")
        yield f"{requirement.name}=={lower}"


def tools() -> Iterator[str]:
    """The pins of the tools that cheap tests need."""
    project = _project(PROJECT)
    for each in project["optional-dependencies"]["dev"]:
        if Requirement(each).name.lower() in TOOLS:
            yield each


if __name__ == "__main__":
    for line in {"lowest": lowest, "tools": tools}[sys.argv[1]]():
        print(line)
