"""The command line: one file per command of `tocsin`, or per few that share their work.

Begin with `main.py`, the table of commands and the exit status; then one command, such as
`check.py` or `match.py`. `options.py` and `inputs.py` are shared arguments, `evaluators.py` chooses
the engine, `explain.py` shows plans and reasons, `maintenance.py` works on the data of a service
that does not run. Results go to standard output, everything else to standard error.

Imports: `catalog`, `client`, `connectors`, `database`, `engine.index`, `errors`, `events`,
`explain`, `languages`, `papers`, `plan`, `reference`, `runtime`, `service`, `values`; it is the top
layer.
Test a change with: `tests/cli`, `tests/client/test_commands.py`, `tests/service/core/test_up.py`.
"""
