"""The one way to a database: opening, reading, writing, and the version of its tables.

Begin with `database.py`. `stores.py` lists the stores with their newest versions, `migrations` has
a folder of numbered steps for each, which `alembic_steps.py` runs by Alembic. Tables are declared
where they are used; the steps make them. Alembic is loaded only where a database is not current.

Imports: `errors`, `lazy_import`.
Test a change with: `tests/database`, `tests/catalog`, `tests/service/core`.
"""
