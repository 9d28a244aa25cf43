"""`make drill`: real faults against a real service under load, and one table of what came of it.

Exit status 0 where nothing was lost or doubled. `--only NAME` runs some of the drills.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from _pytest.outcomes import Skipped

from tests.drill.attacks import ATTACKS
from tests.drill.faults import DRILLS as FAULTS
from tests.drill.load import HEAD

DRILLS = FAULTS | ATTACKS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=list(DRILLS), default=list(DRILLS))
    wanted = parser.parse_args().only
    print(HEAD, flush=True)
    good = True
    for name in wanted:
        folder = Path(tempfile.mkdtemp(prefix=f"tocsin-drill-{name}-"))
        try:
            found = DRILLS[name](folder)
        except Skipped as reason:
            print(f"{name}: not run: {reason}", file=sys.stderr)
            continue
        print(found.row(), flush=True)
        good = good and found.is_good
        if found.is_good:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"{name}: see {folder}", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
