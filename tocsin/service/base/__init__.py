"""The shared parts of the service: the feed of new matches, streams, threads for work.

Begin with `work.py`: each tenant runs a few requests at a time. `feed.py` notifies listeners of
stored matches, those of other processes included, and reads them in order for one listener;
`worker.py` is every thread that runs in the background.

Imports: `errors`, `events`, `service.storage`.
Test a change with: `tests/service/base`, `tests/service/core/test_work.py`,
`tests/service/core/test_tenant_shares.py`, `tests/service/core/test_matches.py`.
"""
