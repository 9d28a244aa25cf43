"""Several tenants in one catalog: each entry has its tenant and a name, two separate values.

They are joined to a key only for code that knows one text. Entries of the tenant without a name are
shared: a subscription of `acme` is compiled with the shared definitions and those of `acme`, which
take precedence for equal names.
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
    """A tenant and a name. Different pairs have different keys."""

    tenant: str
    name: str

    def __post_init__(self) -> None:
        require_tenant_name(self.tenant, self.name)

    @property
    def key(self) -> str:
        """One text for an engine, a match id or a column; unique per tenant and name."""
        return key_of(self.tenant, self.name)

    @staticmethod
    def of_key(key: str) -> Owned:
        """Split a key into tenant and name."""
        return Owned(*_split(key))


def key_of(tenant: str, name: str) -> str:
    """Return the key of a name that belongs to a tenant.

    A tenant never contains `:`, and a shared name never begins like that of a tenant: so the first
    mark after a tenant separates the two again.
    """
    return f"{tenant}{_MARK}{name}" if tenant else name


def is_tenant(name: str) -> bool:
    """True if the text is valid as the name of a tenant."""
    return _TENANT.fullmatch(name) is not None


def require_tenant(name: str) -> None:
    """Raise if the name of a tenant is invalid; the tenant without a name is valid."""
    if name and not is_tenant(name):
        raise MeaningProblem(
            f"tenant {name!r} is not a name",
            code="TenantError",
            token=name,
            hint="use letters from a to z, digits, - and _",
        )


def require_tenant_name(tenant: str, name: str) -> None:
    """Raise if a tenant cannot have an entry of this name."""
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
