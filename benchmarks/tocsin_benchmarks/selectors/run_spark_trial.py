"""A process for one trial through Spark: JSON on standard input, JSON on standard output."""

from __future__ import annotations

import json
import sys

from tocsin_benchmarks.selectors.spark_trial import SparkTrial, run_spark_trial

if __name__ == "__main__":
    json.dump(run_spark_trial(SparkTrial.of_json(json.load(sys.stdin))), sys.stdout)
