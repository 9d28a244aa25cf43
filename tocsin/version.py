"""The version of the package, for those below who write it down."""

__version__ = "0.1.0"
