"""Machine code where nothing is writable: read-only packages and no home, as on fresh executors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.test_kernels import HELPER, LOOP
from tocsin.engine.index.kernel_folders import VARIABLE, temporary_folder

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "/dev/null"
"""No folder can be made in it, not even by root."""


def read_only(folder: Path) -> Path:
    """Two modules whose folder takes no machine code."""
    folder.mkdir()
    (folder / "helper.py").write_text(HELPER)
    (folder / "loop.py").write_text(LOOP)
    (folder / "__pycache__").write_text("in the way of a folder of this name")
    return folder


def run(folder: Path, script: str = "import loop", **more: str) -> list[str]:
    """What a fresh process prints: the sum, and how many loops came from the disk."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("NUMBA_")}
    setting = kept | {
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": NOWHERE,
        "XDG_CACHE_HOME": NOWHERE,
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd="/",
        env=setting | more,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def test_without_a_writable_home_code_is_kept_in_a_temporary_folder(tmp_path: Path) -> None:
    package, temporary = read_only(tmp_path / "package"), tmp_path / "temporary"
    temporary.mkdir()
    assert run(package, TMPDIR=str(temporary)) == ["12", "0"]
    assert run(package, TMPDIR=str(temporary)) == ["12", "1"]
    (own,) = temporary.glob("tocsin-kernels-*")
    assert own.stat().st_mode & 0o777 == 0o700


def test_the_folder_of_an_executor_comes_first(tmp_path: Path) -> None:
    package, local = read_only(tmp_path / "package"), tmp_path / "local"
    local.mkdir()
    given = {"SPARK_LOCAL_DIRS": f"{local},{tmp_path / 'other'}", "TMPDIR": NOWHERE}
    assert run(package, **given) == ["12", "0"]
    assert run(package, **given) == ["12", "1"]


def test_where_nothing_at_all_is_writable_loops_are_compiled_and_not_kept(tmp_path: Path) -> None:
    package = read_only(tmp_path / "package")
    script = f"import tempfile; tempfile.tempdir = {NOWHERE!r}; import loop"
    for _ in range(2):
        assert run(package, script) == ["12", "0"]


def test_a_folder_that_others_can_write_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own = temporary_folder()
    assert own is not None
    own.chmod(0o777)
    assert temporary_folder() is None
    shutil.rmtree(own)
    own.symlink_to(tmp_path)
    assert temporary_folder() is None


def test_a_shipped_folder_serves_a_package_at_another_path(tmp_path: Path) -> None:
    """The folder is a file for those who would write: it is only read."""
    shipped = tmp_path / "shipped"
    first, second = read_only(tmp_path / "here"), read_only(tmp_path / "there")
    assert run(first, **{VARIABLE: str(shipped)}) == ["12", "0"]
    before = {path: path.stat().st_mtime_ns for path in shipped.rglob("*")}
    assert run(second, **{VARIABLE: str(shipped)}) == ["12", "1"]
    assert {path: path.stat().st_mtime_ns for path in shipped.rglob("*")} == before
    (second / "helper.py").write_text(HELPER.replace("FACTOR = 2", "FACTOR = 5"))
    assert run(second, **{VARIABLE: str(shipped)}) == ["30", "0"]


def test_a_shipped_folder_that_is_missing_and_cannot_be_made_harms_nothing(tmp_path: Path) -> None:
    package = read_only(tmp_path / "package")
    for _ in range(2):
        assert run(package, **{VARIABLE: f"{NOWHERE}/kernels"}) == ["12", "0"]
