"""The results of workers: matches and dead letters, in Arrow and as Spark columns.

Begin with `batches.py`, the schema with one of the two in each row, and the codec of matches.
`letters.py` writes and reads dead letters, `member_output.py` fixes the form of the members of a
match, `carried_columns.py` has the columns of events.

Imports: `catalog`, `errors`, `events`, `runtime`, `values`.
Test a change with: `tests/spark/test_narrow.py`, `tests/spark/test_members.py`,
`tests/spark/test_keep.py`.
"""
