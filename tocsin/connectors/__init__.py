"""Readers and writers of files, Kafka and MQTT: one file per input or output.

Begin with `events.py`: lines, values of a document or rows of a table become items. `files.py`
finds and opens the arguments, `table_rows.py` reads CSV and Parquet, `kafka.py` and `mqtt.py` talk
to brokers.

Imports: `errors`, `events`, `values`; never `runtime` or `client`, which stand beside it.
Test a change with: `tests/connectors`.
"""
