"""The rename tool on small projects: code is renamed by its types, text by its dotted names."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts.rename.__main__ import main
from scripts.rename.symbols import Place, find_place

BASE = {
    "app/__init__.py": "",
    "app/doors.py": (
        '"""Doors. `Keeper` is the one who opens."""\n\n'
        "LIMIT = 3\n\n\n"
        "class Keeper:\n"
        "    def __init__(self, size: int) -> None:\n"
        "        self.held = size\n\n"
        "    def enter(self, guest: str) -> str:\n"
        "        return guest * min(self.held, LIMIT)\n\n\n"
        "class Cellar:\n"
        "    def enter(self) -> None: ...\n"
    ),
    "app/side.py": (
        "from app.doors import Cellar, Keeper\n\n\n"
        "class Night(Keeper):\n"
        "    def enter(self, guest: str) -> str:\n"
        "        return super().enter(guest)\n\n\n"
        "def run(keeper: Keeper, cellar: Cellar) -> None:\n"
        "    cellar.enter()\n"
        "    keeper.enter(guest='a')\n"
        "    Night(2).enter(guest='ä') ; keeper.enter('b')\n"
    ),
    "app/front.py": (
        "from app import doors, side\n\n"
        "HOME = 'app.doors:Keeper'\n\n\n"
        "def doors_of(side: str) -> doors.Keeper:\n"
        "    return doors.Keeper(len(side))\n\n\n"
        "RUN = side.run\n"
    ),
    "docs/page.md": "See `doors.Keeper`, app.doors.Keeper.enter, app/doors.py and every Keeper.\n",
    "tests/mutants/mutants.toml": (
        "[[mutant]]\n"
        'name = "no limit for a keeper"\n'
        'file = "app/doors.py"\n'
        'old = "min(self.held, LIMIT)"\n'
        'new = "self.held"\n'
        'tests = ["tests/test_held.py::test_LIMIT"]\n'
    ),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in BASE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    return tmp_path


def carry_out(project: Path, *rows: str) -> int:
    table = project / "table"
    table.write_text("\n".join(rows))
    try:
        return main([str(table)], project)
    finally:
        table.unlink()


def texts(project: Path) -> Mapping[str, str]:
    return {name: (project / name).read_text() for name in BASE if (project / name).exists()}


def test_a_class_is_renamed_in_code_and_where_text_names_its_home(project: Path) -> None:
    assert carry_out(project, "app/doors.py | Keeper | Gate  # a comment") == 0
    found = texts(project)
    assert "class Gate:" in found["app/doors.py"]
    assert "`Gate` is the one" in found["app/doors.py"]
    assert "from app.doors import Cellar, Gate" in found["app/side.py"]
    assert "def run(keeper: Gate," in found["app/side.py"]
    assert "-> doors.Gate:" in found["app/front.py"]
    assert found["docs/page.md"] == (
        "See `doors.Gate`, app.doors.Gate.enter, app/doors.py and every Keeper.\n"
    )


def test_a_method_is_renamed_with_its_overriders_and_not_in_other_classes(project: Path) -> None:
    assert carry_out(project, "app/doors.py | Keeper.enter | attach") == 0
    side = texts(project)["app/side.py"]
    assert side == (
        BASE["app/side.py"]
        .replace("def enter", "def attach")
        .replace("super().enter", "super().attach")
        .replace("keeper.enter", "keeper.attach")
        .replace("Night(2).enter", "Night(2).attach")
    )
    assert "cellar.enter()" in side
    assert "class Cellar:\n    def enter(self)" in texts(project)["app/doors.py"]
    assert "app.doors.Keeper.attach" in texts(project)["docs/page.md"]


def test_attributes_and_constants_are_renamed_in_mutants_too(project: Path) -> None:
    assert (
        carry_out(
            project, "app/doors.py | Keeper.held | capacity", "app/doors.py | LIMIT | MAX_GUESTS"
        )
        == 0
    )
    found = texts(project)
    assert "guest * min(self.capacity, MAX_GUESTS)" in found["app/doors.py"]
    assert 'old = "min(self.capacity, MAX_GUESTS)"' in found["tests/mutants/mutants.toml"]
    assert 'new = "self.capacity"' in found["tests/mutants/mutants.toml"]
    assert "test_LIMIT" in found["tests/mutants/mutants.toml"]


def test_a_parameter_is_renamed_with_the_calls_that_name_it(project: Path) -> None:
    assert carry_out(project, "app/doors.py | Keeper.enter(guest) | visitor") == 0
    found = texts(project)
    assert "def enter(self, visitor: str)" in found["app/doors.py"]
    assert "return visitor * min" in found["app/doors.py"]
    assert "keeper.enter(visitor='a')" in found["app/side.py"]


def test_a_module_moves_with_its_imports_uses_and_mentions(project: Path) -> None:
    (project / "app" / "rooms").mkdir()
    (project / "app" / "rooms" / "__init__.py").write_text("")
    assert carry_out(project, "app/doors.py | module | app/rooms/gates.py") == 0
    found = texts(project)
    assert "app/doors.py" not in found
    assert "class Keeper:" in (project / "app/rooms/gates.py").read_text()
    assert "from app.rooms.gates import Cellar, Keeper" in found["app/side.py"]
    front = found["app/front.py"]
    assert "from app import side\n" in front
    assert "from app.rooms import gates\n" in front
    assert "def doors_of(side: str) -> gates.Keeper:\n    return gates.Keeper(len(side))" in front
    assert "'app.rooms.gates:Keeper'" in front
    assert 'file = "app/rooms/gates.py"' in found["tests/mutants/mutants.toml"]
    assert "app.rooms.gates.Keeper.enter, app/rooms/gates.py" in found["docs/page.md"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("app/doors.py | Keeper | Cellar", "defines Cellar already"),
        ("app/doors.py | Guard | Gate", "does not define Guard"),
        ("app/door.py | Keeper | Gate", "does not exist"),
        ("app/doors.py | Keeper", "a row is `file | old | new`"),
        ("app/doors.py | Keeper | no name", "'no name' is not a name"),
        ("app/doors.py | Keeper.enter() | x", "is not a name, Class.member or function(parameter)"),
        ("app/doors.py | module | app/rooms/gates.py", "is not a package"),
        ("app/doors.py | module | app/side.py", "exists already"),
        ("app/doors | Keeper | Gate", "is not a Python file"),
    ],
)
def test_a_row_that_cannot_be_carried_out_changes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], row: str, reason: str
) -> None:
    assert carry_out(project, row) == 1
    assert reason in capsys.readouterr().err
    assert texts(project) == BASE


def test_columns_count_utf_16_units() -> None:
    assert find_place("class A:\n    x = '\U0001f514'; held: int = 1\n", "A.held") == Place(1, 14)


def test_a_module_is_folded_into_the_one_that_uses_it(project: Path) -> None:
    assert carry_out(project, "app/doors.py | fold | app/side.py") == 0
    after = texts(project)
    assert "app/doors.py" not in after
    assert after["app/side.py"].index("class Keeper") < after["app/side.py"].index("class Night")
    assert "import" not in after["app/side.py"]
    assert "# Doors. `Keeper` is the one who opens." in after["app/side.py"]
    assert after["app/front.py"].count("doors.Keeper") == 0
    assert "HOME = 'app.side:Keeper'" in after["app/front.py"]
    assert 'file = "app/side.py"' in after["tests/mutants/mutants.toml"]
    names: dict[str, object] = {}
    exec(after["app/side.py"], names)
    assert {"LIMIT", "Keeper", "Cellar", "Night", "run"} <= names.keys()


def test_names_that_would_mean_two_things_are_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "app/cellar.py").write_text("LIMIT = 4\n")
    assert carry_out(project, "app/cellar.py | fold | app/doors.py") == 1
    assert "both use LIMIT" in capsys.readouterr().err
    assert (project / "app/cellar.py").exists()


def test_a_name_imported_from_two_places_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "app/cellar.py").write_text("from app.front import Keeper\n\nROOM = Keeper\n")
    assert carry_out(project, "app/cellar.py | fold | app/side.py") == 1
    assert "both use Keeper" in capsys.readouterr().err
