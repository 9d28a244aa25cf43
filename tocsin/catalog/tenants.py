"""Several tenants in one catalog: what is a tenant's own bears its name, what bears none is shared
by all.

A subscription `acme::cheap` is read in the light of the shared definitions and those of `acme`,
which go first where both have a name.
"""

from __future__ import annotations

MARK = "::"
"""Between the name of a tenant and the name that the tenant gave."""


def name_of(tenant: str, own: str) -> str:
    """What something of a tenant is called in the catalog; "" is the tenant that shares all."""
    return f"{tenant}{MARK}{own}" if tenant else own


def tenant_of(name: str) -> tuple[str, str]:
    """The tenant of something in the catalog, and what the tenant calls it."""
    tenant, mark, own = name.partition(MARK)
    return (tenant, own) if mark else ("", name)
