"""A service in this process, asked without a network."""

from tests.service.core.conftest import asked, start

__all__ = ["asked", "start"]
