"""The federation of servers: only events with a downstream subscriber cross the wire.

Begin with `link.py`, the connection to one upstream, with its messages. `interests.py` finds the
atoms of the own subscriptions, `merging.py` joins them, `covering.py` decides whether one covers
another (`graph_cover.py`), `part.py` has the settings and the thread of all links. In doubt both
are sent upstream.

Imports: `catalog`, `client`, `database`, `errors`, `events`, `knowledge`, `languages`, `plan`,
`service.base`, `service.core`, `service.http`, `service.outbound`, `service.storage`,
`service.subscriptions`, `values`.
Test a change with: `tests/service/federation`.
"""
