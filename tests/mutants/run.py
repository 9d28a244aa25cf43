"""`make mutants`: applies each small wrong change to a copy of the tree and asks whether its tests
notice.

Exit status 0 when every mutant is killed, 1 when one survives, 2 when the list is out of date or
tests fail anyway.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("tocsin", "tests", "pyproject.toml")

_NOTHING_FAILED, _SOMETHING_FAILED = 0, 1


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong change of one text in one file, and the tests of which one must fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def applied_to(self, text: str) -> str:
        """The text with the change; raises where the place is not there, or not the only one."""
        if text.count(self.old) != 1:
            raise ValueError(
                f"{self.name}: {self.file} has the text {text.count(self.old)} times, not once"
            )
        return text.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    """All mutants of the list."""
    listed = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text())["mutant"]
    return [
        Mutant(each["name"], each["file"], each["old"], each["new"], tuple(each["tests"]))
        for each in listed
    ]


def run(chosen: Sequence[Mutant]) -> int:
    """Tries the mutants one by one in a copy of the tree, and prints who was noticed."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder)
        _copy(tree)
        tests = dict.fromkeys(test for each in chosen for test in each.tests)
        if _pytest(tree, tests) != _NOTHING_FAILED:
            print("the tests fail without any mutant", file=sys.stderr)
            return 2
        verdicts = [_verdict(tree, each) for each in chosen]
    print(f"{verdicts.count('killed')} of {len(verdicts)} killed")
    if "broken" in verdicts:
        return 2
    return 1 if "survived" in verdicts else 0


def _verdict(tree: Path, mutant: Mutant) -> str:
    path, started = tree / mutant.file, monotonic()
    text = path.read_text()
    _write(path, mutant.applied_to(text))
    status = _pytest(tree, mutant.tests)
    _write(path, text)
    verdict = {_NOTHING_FAILED: "survived", _SOMETHING_FAILED: "killed"}.get(status, "broken")
    print(f"{verdict:<9} {monotonic() - started:5.0f} s  {mutant.file}: {mutant.name}", flush=True)
    return verdict


def _pytest(tree: Path, tests: Iterable[str]) -> int:
    environment = os.environ | {"PYTHONPATH": str(tree), "TOCSIN_EXAMPLES": "mutants"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    return subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, check=False
    ).returncode


def _copy(tree: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name)
        else:
            shutil.copy(source, tree / name)


def _write(path: Path, text: str) -> None:
    """Bytecode is known by the second in which its source was written: each writing gets one of its
    own.
    """
    later = path.stat().st_mtime + 2
    path.write_text(text)
    os.utime(path, (later, later))


def main(words: Sequence[str]) -> int:
    """All mutants, or those whose name or file has one of the words."""
    chosen = [
        each
        for each in mutants()
        if not words or any(word in f"{each.file} {each.name}" for word in words)
    ]
    return run(chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
