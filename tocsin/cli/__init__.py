"""The command line: one file per command of `tocsin`.

Begin with `main.py`, the table of commands and the exit status; then one command, such as
`check.py` or `match.py`. `options.py` and `inputs.py` are shared arguments, `evaluators.py` chooses
the engine, `explain.py` and `why.py` explain. Results go to standard output, everything else to
standard error.
Imports: `catalog`, `cli.drawing`, `client`, `connectors`, `database`, `engine`, `errors`, `events`,
`languages`, `plan`, `reference`, `runtime`, `service`, `spark`, `values`, `version`.
Test a change with: `tests/cli`, `tests/client/test_commands.py`, `tests/service/core/test_up.py`.
"""
