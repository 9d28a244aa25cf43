"""`python -m tocsin.cli` is the command `tocsin`."""

from tocsin.cli.main import run

run()
