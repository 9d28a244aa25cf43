"""Every folder of the package has a page in its `__init__.py`, and the tests that it names exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "tocsin"
FORMER_NAMES = {"hosts", "gateway"}
LEAST_LINES = 3

FOLDERS = sorted(
    path.parent.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("__init__.py")
    if path.parent != PACKAGE and path.relative_to(PACKAGE).parts[0] not in FORMER_NAMES
)


def page_of(folder: str) -> str:
    """Return the docstring of a folder of the package; empty if there is none."""
    tree = ast.parse((PACKAGE / folder / "__init__.py").read_text())
    return ast.get_docstring(tree) or ""


def missing_tests(page: str) -> list[str]:
    """Return the paths below `tests/` that a page names and that do not exist."""
    return [path for path in re.findall(r"`(tests/[^`]*)`", page) if not (ROOT / path).exists()]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_has_a_page(folder: str) -> None:
    assert len([line for line in page_of(folder).splitlines() if line]) >= LEAST_LINES


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_page_names_tests_that_exist(folder: str) -> None:
    assert missing_tests(page_of(folder)) == []


def test_a_test_that_is_missing_is_noticed() -> None:
    assert missing_tests("`tests/engine`, `tests/no_such_folder`") == ["tests/no_such_folder"]
