"""Prints what `scripts/test-ranges` installs: `lowest` the lower ends of all ranges, as
constraints; `tools` the pins of what the tests themselves need; `spark40` what one version of Spark
needs with the package.
"""

from __future__ import annotations

import re
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
_OTHER = re.compile(r"dev|spark\d+")


def _project(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(path.read_text())["project"]
    return found


def ranges() -> Iterator[Requirement]:
    """What users install with this Python: the dependencies, those of every extra but `dev` and
    those for one version of Spark, and those of the distributions beside the package.
    """
    project = _project(PROJECT)
    extras = project["optional-dependencies"]
    for each in (
        *project["dependencies"],
        *(one for name in extras if not _OTHER.fullmatch(name) for one in extras[name]),
        *(one for path in BESIDE for one in _project(path)["dependencies"]),
    ):
        requirement = Requirement(each)
        here = requirement.marker is None or requirement.marker.evaluate()
        if requirement.name != "tocsin" and here:
            yield requirement


def lowest() -> Iterator[str]:
    """The lower end of every range."""
    for requirement in ranges():
        (lower,) = (each.version for each in requirement.specifier if each.operator == ">=")
        yield f"{requirement.name}=={lower}"


def one_spark(extra: str) -> Iterator[str]:
    """The dependencies with those of the extra for one version of Spark."""
    project = _project(PROJECT)
    return iter([*project["dependencies"], *project["optional-dependencies"][extra]])


def tools() -> Iterator[str]:
    """The pins of the tools that cheap tests need."""
    project = _project(PROJECT)
    for each in project["optional-dependencies"]["dev"]:
        if Requirement(each).name.lower() in TOOLS:
            yield each


if __name__ == "__main__":
    (asked,) = sys.argv[1:]
    listed = {"lowest": lowest, "tools": tools}
    for line in listed[asked]() if asked in listed else one_spark(asked):
        print(line)
