"""The formats that other codecs are made of: CloudEvents, JSON values, XML text, lines.

Begin with `cloudevents.py`, the strict reader: one JSON object is one event, and anything else
raises with a reason. `lines.py` reads lines and the values of a document one by one, and never
holds more than the size of an event; `xml_text.py` finds the encoding.

Imports: `errors`, `events`, `values`.
Test a change with: `tests/events/test_cloudevents.py`, `tests/connectors/test_json_files.py`.
"""
