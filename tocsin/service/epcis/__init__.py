"""The EPCIS 2.0 REST interface: capture, queries and query subscriptions over the log.

Begin with `app.py`, all resources of the standard; the files `*_routes.py` answer. `capturing.py`
makes rows of a document, `event_search.py` answers queries: `index.py` finds events, the engine
verifies. `query_subscriptions.py` has standing queries, `reports.py` gives the delivery worker what
to send, and runs it; `part.py` is the component, and takes requests; `repository.py` stores,
`exceptions.py` has the errors of the standard.

Imports: `catalog`, `database`, `engine`, `errors`, `events`, `plan`, `runtime`, `service.base`,
`service.core`, `service.delivery`, `service.http`, `service.outbound`, `service.storage`, `values`.
Test a change with: `tests/service/epcis`.
"""
