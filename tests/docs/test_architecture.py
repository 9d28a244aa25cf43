"""The page on the architecture speaks of what is there: every name of the code in it resolves."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "architecture.md"
DOTTED = re.compile(r"(?<![\w./-])([a-z]\w*(?:\.[A-Za-z_]\w*)+)")
PARTS = frozenset(
    each.stem for each in (PAGE.parents[1] / "tocsin").iterdir() if not each.name.startswith("_")
)


def names() -> list[str]:
    """Every dotted name on the page that begins with a part of the package."""
    found = set(DOTTED.findall(PAGE.read_text()))
    return sorted(each for each in found if each.split(".")[0] in PARTS and not is_file(each))


def is_file(name: str) -> bool:
    return name.rpartition(".")[2] in ("py", "md", "lark", "svg", "toml")


def resolve(name: str) -> object:
    """The module or the member of that name; raises where there is none."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(("tocsin", *parts[:length]))
        try:
            is_module = find_spec(module) is not None
        except ModuleNotFoundError:
            continue
        if is_module:
            found: object = import_module(module)
            for each in parts[length:]:
                found = getattr(found, each)
            return found
    raise LookupError(name)


def test_the_page_names_enough() -> None:
    assert len(names()) > 50


@pytest.mark.parametrize("name", names())
def test_a_name_is_there(name: str) -> None:
    assert resolve(name) is not None


def test_a_name_that_is_not_there_is_noticed() -> None:
    with pytest.raises((AttributeError, LookupError)):
        resolve("engine.engine.Engine.dance")
    with pytest.raises((AttributeError, LookupError)):
        resolve("engine.nowhere.Engine")
