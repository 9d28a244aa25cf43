"""The picture of policies and the tables beside it say what the reference says."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tocsin.plan.nodes.composites import Policy

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(\w+)`[^|]*\|[^|]*\|(.*)\|$", re.MULTILINE)
BEFORE = "selector{ k = 'a' } Before selector{ k = 'b' }"


def drawer() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "draw_policies", ROOT / "scripts" / "draw_policies.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_up_to_date() -> None:
    assert (ROOT / "docs" / "images" / "policies.svg").read_text() == drawer().drawing()


@pytest.mark.parametrize(
    ("page", "language", "texts"),
    [("opsl.md", "opsl", ("WINDOW", "NEAR")), ("concept.md", "concept", ("BEFORE",))],
)
def test_the_table_is_what_the_reference_finds(
    page: str, language: str, texts: tuple[str, ...]
) -> None:
    written = (ROOT / "docs" / "languages" / page).read_text()
    assert "images/policies.svg" in written
    section = written.split("## Policy and horizon")[1].split("\n## ")[0]
    rows = {
        found[1]: [cell.strip() for cell in found[2].split("|")] for found in ROW.finditer(section)
    }
    assert list(rows) == [policy.value for policy in Policy]
    module = drawer()
    for column, name in enumerate(texts):
        text = BEFORE if name == "BEFORE" else module.TEXTS[getattr(module, name)]
        told = {policy: _told(pairs) for policy, pairs in module.outcomes(text, language).items()}
        assert {policy: cells[column] for policy, cells in rows.items()} == told


def _told(pairs: tuple[tuple[str, ...], ...]) -> str:
    return ", ".join(" ".join(pair) for pair in pairs) or "none"
