"""`tocsin warm`: what it ships is used by a fresh process at another path, which compiles nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tocsin.engine.index.kernel_folders import VARIABLE

ROOT = Path(__file__).resolve().parents[2]
JOB = """
import json
from tocsin.hub.hub import Hub
from tocsin.engine.index import kernels
import gc

found = []
with Hub(lateness="0s", ahead=None) as hub:
    hub.subscribe("price < 40 AND kind = 'a'", to=found.append)
    hub.subscribe("WHEN login THEN logout WITHIN 5m FOR EACH user", language="rule", to=found.append)
    hub.publish(*(
        json.dumps({"id": str(n), "source": "s", "type": ("login", "logout")[n % 2],
                    "time": f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}Z",
                    "data": {"price": n, "kind": "a", "user": n // 2}}).encode()
        for n in range(300)
    ))
loops = [each for each in gc.get_objects() if isinstance(each, kernels._Loop)]
used = [each._dispatcher for each in loops if "_dispatcher" in vars(each)]
print(len(found), len(used), sum(sum(each.stats.cache_misses.values()) for each in used))
"""


def run(command: list[str], **more: str) -> str:
    setting = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | more
    done = subprocess.run(command, cwd="/", env=setting, check=True, capture_output=True, text=True)
    return done.stdout


def test_a_fresh_machine_compiles_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    told = run([sys.executable, "-m", "tocsin.cli", "warm", str(folder)], PYTHONPATH=str(ROOT))
    assert f"set {VARIABLE} to its path" in told
    before = sorted(folder.rglob("*"))
    assert len(before) > 50
    package = tmp_path / "elsewhere" / "tocsin"
    skipped = shutil.ignore_patterns("__pycache__", "static")
    shutil.copytree(ROOT / "tocsin", package, ignore=skipped)
    for each in (package, *(path for path in package.rglob("*") if path.is_dir())):
        (each / "__pycache__").write_text("in the way")
    given = {"PYTHONPATH": str(package.parent), "HOME": "/dev/null", VARIABLE: str(folder)}
    matches, loops, misses = map(int, run([sys.executable, "-c", JOB], **given).split())
    assert matches > 150
    assert loops > 5
    assert misses == 0
    assert sorted(folder.rglob("*")) == before
