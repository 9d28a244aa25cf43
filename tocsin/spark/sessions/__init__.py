"""The Spark session that a query runs in, and its Python workers.

Begin with `session.py`, a local session for the command line, the demo and the tests. `workers.py`
chooses the Python of the workers, `callers.py` finds the caller that a warning is for.

Imports: `errors`.
Test a change with: `tests/spark/test_session.py`, `tests/spark/test_given.py`.
"""
