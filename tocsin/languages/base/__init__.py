"""The shared parts of all languages: parsers, places, limits, options, atoms in braces.

Begin with `reading.py`: the result for a text, plan or problems, and warnings; its context, the
definitions and the ontology in force; and its options. `grammar.py` makes a syntax tree within the
limits, `texts.py` words problems at their places, cuts out the text of a part and finds `selector{
... }`, `regions.py` checks polygons, `plan_parts.py` renames and keys parts of a plan. `parsing.py`
is the only file that imports lark.

Imports: `errors`, `plan`, `values`; never a language.
Test a change with: `tests/languages`, `tests/fuzz`.
"""
