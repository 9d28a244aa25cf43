"""The settings of the service: one file for each section.

Begin with `settings.py`: a TOML file, overridden by environment variables, overridden by the
command line. `http.py`, `delivery.py`, `sources.py` (Kafka, MQTT), `spark.py` and `console.py` are
its sections.

Imports: `connectors`, `errors`, `service.outbound`, `values`.
Test a change with: `tests/service/core/test_intake.py`, `tests/service/core/test_up.py`,
`tests/service/spark/test_service.py`.
"""
