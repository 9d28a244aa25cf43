"""The shared parts of all languages: parsers, places, limits, options, atoms in braces.

Begin with `reading.py`, the result for a text: plan or problems, and warnings. `context.py` has the
definitions and the ontology in force, `grammar.py` makes a syntax tree within the limits,
`texts.py` words problems at their places, `slices.py` cuts out the text of a part, `embedded.py`
reads `selector{ ... }`, `plan_parts.py` renames and keys parts of a plan. `parsing.py` is the only
file that imports lark.

Imports: `errors`, `plan`, `values`; never a language.
Test a change with: `tests/languages`, `tests/fuzz`.
"""
