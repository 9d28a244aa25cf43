"""`python -m tocsin` is the command `tocsin`."""

from tocsin.cli.main import run

run()
