"""The command line: one file per command of `tocsin`, or per few that share their work.

Begin with `main.py`, the table of commands and the exit status; then one command, such as
`check.py` or `match.py`. `options.py` and `inputs.py` are shared arguments, `evaluators.py` chooses
the engine, `explain.py` and `why.py` explain, `figures.py` draws graph subscriptions as SVG,
`maintenance.py` works on the data of a service that does not run. Results go to standard output,
everything else to standard error.
Imports: `catalog`, `client`, `connectors`, `database`, `engine`, `errors`, `events`, `knowledge`,
`languages`, `plan`, `reference`, `runtime`, `service`, `spark`, `values`, `version`; it is the top
layer.
Test a change with: `tests/cli`, `tests/client/test_commands.py`, `tests/service/core/test_up.py`.
"""
