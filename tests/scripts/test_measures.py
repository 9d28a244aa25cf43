"""The measures of the house, on sources of a few lines."""

from __future__ import annotations

import ast
from pathlib import Path

from scripts.measures import Source, class_homes, import_graph, longest_chain, two_way_folders


def source(name: str, text: str = "", *, package: bool = False) -> Source:
    path = Path(*name.split("."))
    return Source(
        path / "__init__.py" if package else path.with_suffix(".py"), name, text, ast.parse(text)
    )


def test_folders_that_import_each_other_are_found_parents_included() -> None:
    graph = import_graph(
        [
            source("tocsin.a", package=True),
            source("tocsin.a.one", "from tocsin.a.b.two import x"),
            source("tocsin.a.b", package=True),
            source("tocsin.a.b.two", "from tocsin.a import three"),
            source("tocsin.a.three"),
            source("tocsin.c", "from tocsin.a.b import two", package=True),
        ]
    )
    assert two_way_folders(graph) == ["tocsin.a <-> tocsin.a.b"]


def test_the_longest_chain_goes_by_no_import_inside_a_function() -> None:
    graph = import_graph(
        [
            source("tocsin.one", "import tocsin.two\ndef late():\n    import tocsin.three"),
            source("tocsin.two", "if True:\n    from tocsin import four"),
            source("tocsin.three", "import tocsin.one"),
            source("tocsin.four"),
        ]
    )
    assert longest_chain(graph) == ("tocsin.three", "tocsin.one", "tocsin.two", "tocsin.four")


def test_a_class_name_with_two_homes_is_found() -> None:
    sources = [
        source("tocsin.one", "class A: ..."),
        source("tocsin.two", "class A: ...\nclass B: ..."),
    ]
    assert class_homes(sources) == ["A: tocsin/one.py, tocsin/two.py"]
