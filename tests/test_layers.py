"""The layers of the design hold, and each heavy library enters through one file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[1]

DOORS = {
    "pyspark": {"tocsin/hosts/spark"},
    "shapely": {"tocsin/values/space.py", "tocsin/values/regions.py", "tocsin/cli/bench/geofences_bare.py"},
    "numba": {"tocsin/engine/matching/kernels.py"},
    "sqlalchemy": {"tocsin/catalog/store.py", "tocsin/catalog/database.py"},
    "matplotlib": {"tocsin/cli/bench"},
    "dd": {"tocsin/cli/bench/baselines/shared_bdd.py"},
    "lxml": {"tocsin/events/views/document.py"},
    "pyoxigraph": {"tocsin/values/rdf.py", "tocsin/cli/bench/graphs_sparql.py"},
    "pyproj": {"tocsin/values/geodesy.py"},
    "lark": {"tocsin/languages/parsing.py"},
    "re2": {"tocsin/values/patterns.py"},
}


def test_imports_follow_the_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename=str(ROOT / ".importlinter"), cache_dir=None) == 0


@pytest.mark.parametrize("library", DOORS)
def test_a_library_enters_through_its_door(library: str) -> None:
    users = {path for path in (ROOT / "tocsin").rglob("*.py") if library in _imported(path)}
    assert users, f"nobody imports {library}: remove its door"
    names = {path.relative_to(ROOT).as_posix() for path in users}
    assert {name for name in names if not name.startswith(tuple(DOORS[library]))} == set()


def test_nothing_is_imported_inside_a_function() -> None:
    inside = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "tocsin").rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert inside == []


def _imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    plain = {name.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    named = {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return plain | named
