"""Readers and writers of files, Kafka and MQTT: one file per input or output.

Begin with `readers.py`: lines, values of a document or rows of a table become items. `events.py`
reads files of events with them, `files.py` and `inputs.py` open the arguments, `csv_rows.py` and
`parquet_rows.py` read tables, `kafka.py` and `mqtt.py` talk to brokers.

Imports: `errors`, `events`, `values`; never `runtime` or `client`, which stand beside it.
Test a change with: `tests/connectors`.
"""
