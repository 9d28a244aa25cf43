"""Explanations of matches, misses and partial matches, for command line, HTTP and console.

Begin with `why_not.py`: an event and a pattern, condition by condition, as one list of steps, which
`steps.py` turns into JSON and into lines. `verdicts.py` explains an atom with `conditions.py`,
`concepts.py`, `xml_misses.py` and `namespaces.py`; `replay.py` runs a composite and its parts,
`misses.py` finds the closest candidate. `why.py` explains a match, `plan_tree.py` is its plan with
the satisfied parts, `waiting.py` has the partial matches; all use the phrases of `wording.py` and
of `plan.explain`, which quote the subscription. Atoms are evaluated by the reference.

Imports: `catalog`, `engine`, `errors`, `events`, `hub`, `knowledge`, `plan`, `reference`,
`runtime`, `values`.
Test a change with: `tests/explain`, `tests/service/console`, `tests/cli`.
"""
