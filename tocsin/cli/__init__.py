"""The command line: one file per command. Results go to standard output, everything else to
standard error.
"""
