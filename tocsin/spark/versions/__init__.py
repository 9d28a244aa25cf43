"""The versions of Spark: the capabilities of each, and the names of pyspark that some of them lack.

Begin with `capabilities.py`: a table that decides, and refuses by name with a hint. A name that not
every version has is imported in `optional_names.py` only, which also collects a DataFrame as Arrow
on every version.

Imports: `errors`.
Test a change with: `tests/spark/test_support.py`, and on every version with
`scripts/test-ranges spark`.
"""
