"""The layers of the design hold, and each heavy library enters through one file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from inspect import isroutine, unwrap
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[1]

DOORS = {
    "pyspark": {"tocsin/spark"},
    "shapely": {
        "tocsin/values/space.py",
        "tocsin/values/globe.py",
        "tocsin/values/regions.py",
    },
    "numba": {"tocsin/engine/index/kernels.py"},
    "sqlalchemy": {
        "tocsin/catalog/store.py",
        "tocsin/catalog/database.py",
        "tocsin/database",
        "tocsin/service/storage",
        "tocsin/service/delivery",
        "tocsin/service/epcis",
        "tocsin/service/federation/store.py",
        "tocsin/service/operations/postgres_migration.py",
        "tocsin/service/core/retention.py",
        "tocsin/service/runner/spark/driver.py",
    },
    "alembic": {"tocsin/database/alembic_steps.py", "tocsin/database/migrations"},
    "httpcore": {"tocsin/service/outbound/http_sender.py"},
    "httpx_sse": {"tocsin/client", "tocsin/service/federation/link.py"},
    "standardwebhooks": {"tocsin/service/delivery/signing.py"},
    "lxml": {"tocsin/events/views/document.py", "tocsin/events/views/children.py"},
    "yaml": {"tocsin/catalog/files.py"},
    "pyoxigraph": {"tocsin/values/rdf.py"},
    "pyproj": {"tocsin/values/geodesy.py"},
    "lark": {"tocsin/languages/base/parsing.py"},
    "re2": {"tocsin/values/regex.py"},
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


NOT_DECIDING = {
    # the structure of a plan
    "parts_of",
    "names_of",
    "ids_of",
    "condition_variables",
    "elements_of",
    "pattern_variables",
    "steps_of",
    "attribute_paths",
    # reading an event, before anything is decided about it
    "assertions_of",
    "bound_value",
    "contradiction",
    "correlation_rows",
    "local_name",
    "outermost_inside",
    "text_value",
    "pattern_of_text",
    "read_xpath",
    # limits, which are part of the meaning: what goes beyond them is undecided
    "is_within_budget",
    "outlined_shape",
    "row_count",
    "shorten",
    # words, and what a match looks like
    "concept_test_text",
    "condition_text",
    "path_text",
    "selector_text",
    "match_of",
    "match_of_atom",
}
SHARED_STILL = {
    "evaluate_condition": "arithmetic and functions are evaluated in one way only, and tested with the kits of others",
}


def test_the_reference_shares_nodes_and_nothing_that_decides() -> None:
    """Of plan it uses classes and data; every function that it uses is listed above, with the
    reason.
    """
    used = {
        name
        for path in (ROOT / "tocsin" / "reference").glob("*.py")
        for module, name in _names_imported(path)
        if module.startswith("tocsin.plan")
        and isroutine(unwrap(getattr(import_module(module), name)))
    }
    assert used - NOT_DECIDING - SHARED_STILL.keys() == set()
    assert SHARED_STILL.keys() - used == set(), "no longer shared: strike it out"


def _names_imported(path: Path) -> list[tuple[str, str]]:
    tree = ast.parse(path.read_text())
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return [(str(node.module), name.name) for node in found for name in node.names]


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


FOREIGN_PRIVATE = {
    "_replace": "of named tuples, where the underscore only keeps it apart from fields",
    "_Element": "the type of lxml's elements, which has no other name",
    "_getframe": "how the standard library itself finds the caller",
    "_current_frames": "how the standard library itself shows what a thread does",
    "_jvm": "how PySpark itself reaches Java, which has no other name",
    "_collect_as_arrow": "what `toArrow` of Spark 4 does, which Spark 3.5 lacks",
    "_mapping": "how SQLAlchemy gives a row by its names, kept apart from columns",
    **dict.fromkeys(
        ("_cache", "_cache_file"),
        "where numba keeps the stamp of machine code; tests/engine/test_kernels.py holds it",
    ),
    **dict.fromkeys(
        ("_PARTITION_EOF", "_ALL_BROKERS_DOWN", "_TRANSPORT", "_RESOLVE", "_TIMED_OUT"),
        "codes of librdkafka, which begin so where no broker has sent them",
    ),
}


def test_no_private_name_is_used_outside_its_module() -> None:
    strays = {
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in (ROOT / "tocsin").rglob("*.py")
        for line, name in _foreign_private_names(ast.parse(path.read_text()))
        if name not in FOREIGN_PRIVATE
    }
    assert strays == set()


@pytest.mark.parametrize(
    "text", ["from tocsin.a import _b", "import a\na._b()", "def f(a):\n    return a.c._b"]
)
def test_a_private_name_of_another_module_is_noticed(text: str) -> None:
    assert [name for _, name in _foreign_private_names(ast.parse(text))] == ["_b"]


def test_a_private_name_of_the_module_itself_is_free() -> None:
    text = "class A:\n    def __init__(self): self._b = 1\n    def __eq__(self, o): return o._b"
    assert list(_foreign_private_names(ast.parse(text))) == []


def _foreign_private_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Names with a leading underscore that the module imports, or asks of others than itself."""
    own = set(_given_here(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, each.name) for each in node.names if _is_private(each.name))
        elif isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in own:
            is_self = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not is_self:
                yield node.lineno, node.attr


def _given_here(tree: ast.AST) -> Iterator[str]:
    """Names that the module defines, assigns, or lists in slots."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                yield name
            case ast.Name(name, ast.Store()) | ast.Attribute(_, name, ast.Store()):
                yield name
            case ast.Constant(str(name)):
                yield name


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def _imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    plain = {
        name.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }
    named = {
        node.module.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
    }
    return plain | named
