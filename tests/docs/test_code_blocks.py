"""Every code block in README and docs runs.

Python blocks of a page run in order in one namespace, shell blocks with the project's commands on
the path, both in an empty folder. A line `make target` is checked for the target, not run: `make
test` would run this test again.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_ONLY = {"text", "ebnf", "json"}


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(found[1], found[2], text[: found.start()].count("\n") + 2)
        for found in BLOCK.finditer(text)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_blocks_run(page: Path, tmp_path: Path) -> None:
    blocks = blocks_of(page)
    assert {block.language for block in blocks} <= {"python", "sh", *SHOWN_ONLY}, (
        "a block names its language"
    )
    for block in blocks:
        if block.language == "sh":
            _run_shell(block, page, tmp_path)
    python = [block for block in blocks if block.language == "python"]
    if python:
        _run_python(python, page, tmp_path)


def _run_python(blocks: list[Block], page: Path, folder: Path) -> None:
    """All blocks in one fresh interpreter; blank lines in front keep the line numbers of
    the page.
    """
    code, written = "", 0
    for block in blocks:
        code += "\n" * (block.line - 1 - written) + block.code
        written = code.count("\n")
    script = folder / f"{page.stem}.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, script],
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{page.name}: {done.stderr[-3000:]}"


def _run_shell(block: Block, page: Path, folder: Path) -> None:
    lines = block.code.splitlines()
    for line in lines:
        if line.startswith("make "):
            target = subprocess.run(
                ["make", "-n", *line.split("#")[0].split()[1:]],
                cwd=ROOT,
                capture_output=True,
                check=False,
            )
            assert target.returncode == 0, f"{page.name}:{block.line}: {line}"
    script = "\n".join(line for line in lines if not line.startswith("make "))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (
        f"{page.name}:{block.line}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    )


def _environment() -> dict[str, str]:
    return os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
