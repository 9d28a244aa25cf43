"""Several tenants in one catalog: each thing has the tenant it belongs to and the name that the
tenant gave it, two values that are never joined but for those who know one text only.

What belongs to the tenant without a name is shared: a subscription of `acme` is read in the light
of the shared definitions and those of `acme`, which go first where both have a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tocsin.errors import MeaningProblem

SHARED = ""
"""The tenant without a name."""

_MARK = "::"
_TENANT = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, order=True)
class Owned:
    """A tenant, and what it calls something. Two that differ are never told by the same `key`."""

    tenant: str
    name: str

    def __post_init__(self) -> None:
        require_owned(self.tenant, self.name)

    @property
    def key(self) -> str:
        """The one text for an engine, a match id or a column: no other tenant and name have it."""
        return key_of(self.tenant, self.name)

    @staticmethod
    def of_key(key: str) -> Owned:
        """The tenant and the name that a key was made of."""
        return Owned(*_split(key))


def key_of(tenant: str, name: str) -> str:
    """The key of a name that belongs to a tenant. No tenant has a `:` in it, and no name that is
    shared begins like that of a tenant: so the first mark behind a tenant parts the two again.
    """
    return f"{tenant}{_MARK}{name}" if tenant else name


def is_tenant(name: str) -> bool:
    """Whether a tenant may be called so."""
    return _TENANT.fullmatch(name) is not None


def require_tenant(name: str) -> None:
    """Raises where no tenant can be called so; the tenant without a name is one too."""
    if name and not is_tenant(name):
        raise MeaningProblem(
            f"tenant {name!r} is not a name",
            code="TenantError",
            token=name,
            hint="use letters from a to z, digits, - and _",
        )


def require_owned(tenant: str, name: str) -> None:
    """Raises where a tenant can have nothing that is called so."""
    if tenant:
        require_tenant(tenant)
    elif _MARK in name and _split(name)[0]:
        raise MeaningProblem(
            f"{name!r} is not a name: what stands before {_MARK} would be another tenant",
            code="NameError",
            token=name,
            hint='take another name, or say whose it is beside it, as in "tenant": "acme"',
        )


def _split(key: str) -> tuple[str, str]:
    tenant, _, name = key.partition(_MARK)
    return (tenant, name) if name and is_tenant(tenant) else (SHARED, key)
