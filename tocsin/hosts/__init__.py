"""Former names of tocsin.hub, tocsin.runtime or tocsin.spark, importable for one release."""

import sys
from importlib import import_module
from warnings import warn

warn(
    "tocsin.hosts has moved to tocsin.hub, tocsin.runtime or tocsin.spark; the old name goes with"
    " the next release",
    DeprecationWarning,
    stacklevel=2,
)

_MOVED = {
    "local": "tocsin.hub",
    "local.async_hub": "tocsin.hub.async_hub",
    "local.finite": "tocsin.runtime.finite_run",
    "local.hub": "tocsin.hub.hub",
    "ordering": "tocsin.runtime.watermark",
}
for _old, _new in _MOVED.items():
    sys.modules[f"{__name__}.{_old}"] = import_module(_new)
