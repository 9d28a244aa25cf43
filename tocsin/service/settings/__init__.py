"""The settings of the service, by sections.

Begin with `settings.py`: a TOML file, overridden by environment variables, overridden by the
command line. `sources.py` has the sections of Kafka and MQTT.

Imports: `connectors`, `errors`, `service.outbound`, `values`.
Test a change with: `tests/service/core/test_intake.py`, `tests/service/core/test_up.py`,
`tests/service/spark/test_service.py`.
"""
