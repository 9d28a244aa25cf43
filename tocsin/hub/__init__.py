"""The Hub: publish and subscribe in one process, with threads, asyncio or steps.

Begin with `step_hub.py`, the core: engine, subscriptions and time, whose methods return their
results as values. `hub.py` is the core with a lock, a clock thread and receivers, `async_hub.py`
the same for asyncio; the service takes the steps of the core itself. `subscription_registry.py` has
the subscriptions and follows the catalog, `dispatch.py` and `mailbox.py` bring matches to receivers
in order, `clock_thread.py` follows the wall clock.

Imports: `catalog`, `engine`, `errors`, `events`, `knowledge`, `languages`, `lazy_import`, `plan`,
`runtime`, `values`; never `spark`, which stands beside it.
Test a change with: `tests/hub`, `tests/runtime/test_clock.py`, `tests/service/core/test_driven.py`.
"""
