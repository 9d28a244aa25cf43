"""The results of workers: matches and dead letters, in Arrow and as Spark columns.

Begin with `batches.py`, the schema with one of the two in each row. `match_codec.py` writes and
reads matches, `letters.py` dead letters, `member_output.py` fixes the form of the members of a
match, `headers.py` and `carried_columns.py` have the columns of events.

Imports: `catalog`, `errors`, `events`, `runtime`.
Test a change with: `tests/spark/test_narrow.py`, `tests/spark/test_members.py`,
`tests/spark/test_keep.py`.
"""
