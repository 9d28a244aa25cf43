"""The way from rows of any layout to events; a row that is not an event is a dead letter.

Begin with `layout.py`, decided once when the query is made. `rows.py` decodes Arrow batches,
`columns.py` and `table.py` serve event columns, `row_validation.py` finds suspicious rows,
`kafka.py` and `lines.py` read their sources, `log_source.py` is a log with positions as a source of
Spark.

Imports: `engine`, `errors`, `events`, `spark.output`, `values`.
Test a change with: `tests/spark/test_columns.py`, `tests/spark/test_reading.py`,
`tests/spark/test_kafka.py`.
"""
