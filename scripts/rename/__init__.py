"""Renames names and modules of the project, everywhere at once: `python -m scripts.rename TABLE`.

Lives here: the table of renames (`table`), the place of a name (`symbols`), a client of the
language server that finds its uses (`language_server`), moves of modules (`modules`), and mentions
in documentation and mutants (`mentions`). Imports nothing of the package. A change here is tested
by tests/scripts.
"""
