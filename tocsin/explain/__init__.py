"""Explanations of matches, misses and partial matches, for command line, HTTP and console.

Begin with `why_not.py`: an event and a pattern, condition by condition, as one list of steps.
`verdicts.py` explains an atom with `conditions.py`, `xml_misses.py` and `namespaces.py`;
`replay.py` runs a composite and its parts, `misses.py` finds the closest candidate. `why.py`
explains a match, by its plan with the satisfied parts, `waiting.py` has the partial matches; all
use the steps and phrases of `wording.py` and those of `plan.explain`, which quote the subscription.
Atoms are evaluated by the reference. `table_rows.py` explains a row of a Spark table.

Imports: `catalog`, `engine`, `errors`, `events`, `hub`, `knowledge`, `plan`, `reference`,
`runtime`, `spark`, `values`.
Test a change with: `tests/explain`, `tests/service/console`, `tests/cli`.
"""
