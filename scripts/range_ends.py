"""Prints what `scripts/test-ranges` installs: `lowest` the lower ends of all ranges, as
constraints; `tools` the pins of what the tests themselves need.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
TOOLS = ("hypothesis", "pytest", "pytest-xdist")


def ranges() -> Iterator[Requirement]:
    """What users install: the dependencies, and those of every extra but `dev`."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    extras = project["optional-dependencies"]
    for each in (
        *project["dependencies"],
        *(one for name in extras if name != "dev" for one in extras[name]),
    ):
        yield Requirement(each)


def lowest() -> Iterator[str]:
    """The lower end of every range."""
    for requirement in ranges():
        (lower,) = (each.version for each in requirement.specifier if each.operator == ">=")
        yield f"{requirement.name}=={lower}"


def tools() -> Iterator[str]:
    """The pins of the tools that cheap tests need."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    for each in project["optional-dependencies"]["dev"]:
        if Requirement(each).name.lower() in TOOLS:
            yield each


if __name__ == "__main__":
    for line in {"lowest": lowest, "tools": tools}[sys.argv[1]]():
        print(line)
