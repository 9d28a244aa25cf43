"""The pages that build rules in Python are accepted by mypy in its strict mode.

A page is read like a notebook: its own short functions need no annotations, and a name may be given
again to something else.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.test_code_blocks import PAGES, ROOT, blocks_of

BUILDING = [page for page in PAGES if "from tocsin import rule" in page.read_text()]
NOTEBOOK = (
    "--allow-untyped-defs",
    "--allow-untyped-calls",
    "--local-partial-types",
    "--allow-redefinition-new",
)
WRONG = """
from tocsin import rule

rule.event("order").then(rule.event("payment"), within=rule.event("never"))
rule.count(rule.event("login"), over="5m").for_each("user")
"""


def checked(folder: Path) -> str:
    """What mypy says of the scripts in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *NOTEBOOK, "--follow-imports=silent"]
        + ["--config-file=", "--cache-dir", str(folder / "cache")]
        + [str(script) for script in sorted(folder.glob("*.py"))],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_what_the_pages_build_has_the_right_types(tmp_path: Path) -> None:
    assert {page.name for page in BUILDING} >= {"README.md", "rule.md", "recipes.md"}
    for number, page in enumerate(BUILDING):
        code = [block.code for block in blocks_of(page) if block.language == "python"]
        (tmp_path / f"page{number}_{page.stem}.py").write_text("\n".join(code))
    (tmp_path / "wrong.py").write_text(WRONG)
    errors = [line for line in checked(tmp_path).splitlines() if ": error:" in line]
    assert [line for line in errors if not line.startswith("wrong.py")] == []
    found = "\n".join(errors)
    assert '"within"' in found, "what is wrong is seen"
    assert '"for_each"' in found
