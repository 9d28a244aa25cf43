"""The subscriptions and definitions of tenants: put, check, dry run.

Begin with `subscriptions.py`: put, get, pause, remove, with the catalog in memory; a refused
request changes nothing. `definitions.py` does the same for regions, named parts and ontologies,
`dry_run.py` tries one that is not stored.

Imports: `catalog`, `errors`, `events`, `languages`, `plan`, `runtime`, `service.base`,
`service.settings`, `service.storage`, `values`.
Test a change with: `tests/service/core/test_subscriptions.py`, `tests/service/core/test_mirror.py`,
`tests/service/core/test_changes.py`.
"""
