"""The way from rows of any layout to events; a row that is not an event is a dead letter.

Begin with `layout.py`, decided once when the query is made. `rows.py` decodes Arrow batches,
`table.py` serves event columns and finds suspicious rows, `lines.py` reads files of lines,
`log_source.py` is a log with positions as a source of Spark.

Imports: `engine`, `errors`, `events`, `spark.output`, `spark.versions`, `values`.
Test a change with: `tests/spark/test_columns.py`, `tests/spark/test_reading.py`,
`tests/spark/test_kafka.py`.
"""
