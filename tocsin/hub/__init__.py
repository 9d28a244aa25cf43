"""The Hub: publish and subscribe in one process, with threads, asyncio or steps.

Begin with `hub.py`: a failing event, subscription or subscriber never affects the others.
`async_hub.py` is for asyncio, `step_hub.py` for an owner of time and state (the service).
`subscription_registry.py` has the subscriptions, `dispatch.py` and `mailbox.py` bring matches to
receivers in order, `clock_thread.py` follows the wall clock.

Imports: `catalog`, `engine`, `errors`, `events`, `knowledge`, `languages`, `lazy_import`, `plan`,
`runtime`, `values`; never `spark`, which stands beside it.
Test a change with: `tests/hub`, `tests/runtime/test_clock.py`, `tests/service/core/test_driven.py`.
"""
