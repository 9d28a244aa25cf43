"""The version of the package, for lower layers that write it down."""

__version__ = "0.2.0"
