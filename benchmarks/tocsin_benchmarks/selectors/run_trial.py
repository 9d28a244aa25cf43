"""A process for one trial: the trial comes as JSON on standard input, its result goes as JSON to
standard output.
"""

from __future__ import annotations

import json
import sys

from tocsin_benchmarks.selectors.trial import Trial, run_trial

if __name__ == "__main__":
    json.dump(run_trial(Trial.of_json(json.load(sys.stdin))), sys.stdout)
