"""The built files are those of the source, and the lock file tells no addresses."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.console.node import CONSOLE, require_modules, run_npm
from tocsin.service.console.files import STATIC


def _hashes(folder: Path) -> dict[str, str]:
    return {
        each.relative_to(folder).as_posix(): sha256(each.read_bytes()).hexdigest()
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }


def test_what_is_committed_is_what_the_source_makes(tmp_path: Path) -> None:
    require_modules()
    run_npm("run", "build", "--", "--outDir", str(tmp_path / "built"))
    assert _hashes(tmp_path / "built") == _hashes(STATIC), "run make console and commit"


def test_versions_are_exact() -> None:
    package = json.loads((CONSOLE / "package.json").read_text(encoding="utf-8"))
    versions = package["dependencies"] | package["devDependencies"]
    assert [name for name, version in versions.items() if not version[0].isdigit()] == []


@pytest.mark.parametrize("word", ["resolved", "http://", "registry"])
def test_the_lock_file_has_no_addresses_of_downloads(word: str) -> None:
    lock = json.loads((CONSOLE / "package-lock.json").read_text(encoding="utf-8"))
    for package in lock["packages"].values():
        package.pop("funding", None)
    assert word not in json.dumps(lock)


def test_no_markup_is_made_of_texts() -> None:
    ways = ("innerHTML", "dangerouslySetInnerHTML", "outerHTML", "insertAdjacentHTML", "eval(")
    for file in (CONSOLE / "src").rglob("*.ts*"):
        text = file.read_text(encoding="utf-8")
        assert [way for way in ways if way in text] == [], file.name
