"""XML blocks, their rows and the templates that build documents.

Begin with `xml_patterns.py`, the blocks (spec 4.3), and `paths.py`. `row_terms.py` has conditions
on rows, `row_evaluation.py` their values; `construction.py` has templates and builds new XML.

Imports: `errors`, `events`, `plan`, `values`; never `plan.nodes`, which stands on it.
Test a change with: `tests/engine/xml`, `tests/languages/exmlql`,
`tests/reference/test_row_values.py`.
"""
