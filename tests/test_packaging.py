"""What users bring along has a range, tested at both ends; what we work with is pinned, and lies in
the range.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tocsin.spark.versions.capabilities import MINORS, PROTOBUF

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
BESIDE = [
    tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]["dependencies"]
    for folder in ("benchmarks", "examples/demo")
]
FOR_ONE_SPARK = {name for name in EXTRAS if re.fullmatch(r"spark\d+", name)}
RANGED = [
    requirement
    for extra in [
        PROJECT["dependencies"],
        *(EXTRAS[name] for name in EXTRAS if name not in FOR_ONE_SPARK | {"dev"}),
        *BESIDE,
    ]
    for requirement in map(Requirement, extra)
    if requirement.name != "tocsin"
    and (requirement.marker is None or requirement.marker.evaluate())
]
PINS = {
    canonicalize_name(name): Version(version)
    for name, _, version in (
        line.partition("==")
        for line in (ROOT / "constraints.txt").read_text().split()
        if "==" in line
    )
}


@pytest.mark.parametrize("requirement", RANGED, ids=lambda each: each.name)
def test_what_users_bring_along_has_a_range_around_what_we_work_with(
    requirement: Requirement,
) -> None:
    assert sorted(each.operator for each in requirement.specifier) == ["<", ">="]
    assert PINS[canonicalize_name(requirement.name)] in requirement.specifier


def test_nothing_else_is_pinned() -> None:
    assert set(PINS) == {canonicalize_name(each.name) for each in RANGED}


def test_our_tools_are_pinned() -> None:
    for each in map(Requirement, EXTRAS["dev"]):
        assert [one.operator for one in each.specifier] == ["=="], each


def test_the_lower_ends_are_what_the_ranges_say() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "range_ends.py", "lowest"],
        capture_output=True,
        text=True,
        check=True,
    )
    lowest = dict(line.split("==") for line in done.stdout.split())
    assert set(lowest) == {each.name for each in RANGED}
    for requirement in RANGED:
        assert lowest[requirement.name] in requirement.specifier
        assert f">={lowest[requirement.name]}" in str(requirement.specifier)


def test_each_version_of_spark_has_an_extra_within_the_ranges() -> None:
    """Each has its own minor version; protobuf is what that version's state server asks for."""
    minors = {f"spark{major}{minor}" for major, minor in MINORS}
    assert minors == FOR_ONE_SPARK
    ranges = {each.name: each.specifier for each in RANGED}
    for major, minor in MINORS:
        own = {each.name: each for each in map(Requirement, EXTRAS[f"spark{major}{minor}"])}
        assert str(own["pyspark"].specifier) == f"<{major}.{minor + 1},>={major}.{minor}.0"
        assert (found := PROTOBUF.get((major, minor))) is None or found in str(own["protobuf"])
        for name, requirement in own.items():
            low, high = (requirement.specifier, ranges[name])
            first = next(each.version for each in low if each.operator == ">=")
            assert first in high, requirement


def test_former_homes_stay_importable_for_one_release() -> None:
    script = (
        "import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n"
        "from tocsin.hosts.local.hub import Hub as old_hub\n"
        "from tocsin.gateway.settings import load_settings as old_settings\n"
        "from tocsin.gateway.spark.log import log_table\n"
        "from tocsin.hub.hub import Hub\n"
        "from tocsin.service.settings.settings import load_settings\n"
        "assert old_hub is Hub and old_settings is load_settings and log_table\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    told = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", "import tocsin.gateway"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "tocsin.service" in told.stderr
