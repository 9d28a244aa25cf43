"""Former names of tocsin.service, importable for one release."""

import sys
from importlib import import_module
from warnings import warn

warn(
    "tocsin.gateway has moved to tocsin.service; the old name goes with the next release",
    DeprecationWarning,
    stacklevel=2,
)

_MOVED = {
    "parts": "tocsin.service.operations.components",
    "reception": "tocsin.service.core.ingest",
    "server": "tocsin.service.operations.server",
    "service": "tocsin.service.core.service",
    "settings": "tocsin.service.settings.settings",
    "spark": "tocsin.service.runner.spark",
    "spark.log": "tocsin.service.runner.spark.log",
    "storage": "tocsin.service.storage",
    "storage.rows": "tocsin.service.storage.rows",
}
for _old, _new in _MOVED.items():
    sys.modules[f"{__name__}.{_old}"] = import_module(_new)
