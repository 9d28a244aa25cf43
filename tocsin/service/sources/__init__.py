"""The intake of events from brokers into the log, one thread per broker.

All is in `worker.py`: read, store, acknowledge; failures are retried. For Kafka offsets are stored
with the rows, so each record is there exactly once; a message of MQTT is acknowledged when it is on
disk. No loss, and no duplicates if the broker has offsets.

Imports: `connectors`, `database`, `engine`, `errors`, `events`, `service.base`, `service.core`,
`service.settings`, `service.storage`.
Test a change with: `tests/service/sources`, `tests/service/core/test_intake.py`,
`tests/connectors/kafka/test_intake.py`, `tests/connectors/mqtt/test_intake.py`.
"""
