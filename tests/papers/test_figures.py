"""`tocsin explain --format svg`: the pictures of figures 3 to 5, with the circles and squares that
the paper counts.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tocsin.cli.main import app
from tocsin.errors import UnsupportedProblem

SCENARIOS = tomllib.loads((Path(__file__).parents[1] / "scenarios" / "graph.toml").read_text())
DIA = "(_:H,?1,(A,p1,B)) (_:H,?2,(A,p2,C)) (?1,?3,(B,p3,D)) (?2,?3,(C,p3,D))"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(
    tmp_path: Path,
    expression: str,
    *bodies: str,
    ontology: str | None = None,
    language: str = "graph",
) -> str:
    """The picture of a subscription and events of the scenarios."""
    (tmp_path / "s.jsonl").write_text(
        json.dumps({"id": "<s>", "language": language, "expression": expression})
    )
    events = [
        {
            "id": each,
            "source": "s",
            "type": "t",
            "time": "1970-01-01T00:00:00Z",
            "datacontenttype": "text/turtle",
            "data": SCENARIOS["prefixes"] + SCENARIOS["bodies"][each],
        }
        for each in bodies
    ]
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, events)))
    arguments = [
        "explain",
        str(tmp_path / "s.jsonl"),
        "--event",
        str(tmp_path / "e.jsonl"),
        "--format",
        "svg",
    ]
    if ontology is not None:
        (tmp_path / "o.ttl").write_text(SCENARIOS["prefixes"] + SCENARIOS["ontologies"][ontology])
        arguments += ["--ontology", str(tmp_path / "o.ttl")]
    done = CliRunner().invoke(app, arguments)
    if done.exception is not None:
        raise done.exception
    return done.stdout


def shapes(svg: str) -> Counter[str]:
    """How many shapes there are of each kind, in what must be XML."""
    root = ElementTree.fromstring(svg)
    assert root.tag == SVG + "svg"
    kinds = (each.get("class", "").split() for each in root.iter() if each.tag != SVG + "text")
    return Counter(kind for words in kinds for kind in words)


@pytest.mark.parametrize(
    ("event", "circles", "squares", "checked"),
    [("AUC450", 4, 4, 4), ("AUC350", 5, 4, 9), ("AUC400", 4, 4, 4)],
)
def test_the_auction_has_the_nodes_of_the_specification(
    tmp_path: Path, event: str, circles: int, squares: int, checked: int
) -> None:
    found = shapes(drawn(tmp_path, SCENARIOS["texts"]["CHEAP"], event, ontology="auction"))
    assert (found["circle"], found["square"], found["checked"]) == (circles, squares, checked)
    assert found["vertex"] == 5  # _:H, ?1, ?2, units:dollar, ?3


def test_the_diamond_is_drawn_as_figures_three_to_five(tmp_path: Path) -> None:
    svg = drawn(tmp_path, DIA, "EV1", "EV2", ontology="figures")
    found = shapes(svg)
    assert (found["vertex"], found["circle"], found["square"]) == (4, 5 + 6, 4 + 4)
    # six entries, two with an ancestor, two with a waiting pattern
    assert found["entry"] == 6 + 2 + 2
    assert found["waiting"] == 2 * 2  # a line and a box for each
    texts = [each.text for each in ElementTree.fromstring(svg).iter(SVG + "text")]
    assert "Subscription <s>" in texts
    assert "(:A, :p1, :B1)" in texts
    assert texts.count("?3 = _:d") == 3


def test_the_same_picture_every_time(tmp_path: Path) -> None:
    assert drawn(tmp_path, DIA, "EV2", ontology="figures") == drawn(
        tmp_path, DIA, "EV2", ontology="figures"
    )


def test_a_subscription_without_an_event_or_a_tree_is_drawn(tmp_path: Path) -> None:
    assert shapes(drawn(tmp_path, DIA, ontology="figures"))["circle"] == 0
    svg = drawn(tmp_path, DIA, "AUC350", ontology="figures")
    assert shapes(svg)["circle"] == 0
    assert "no match: no pattern that starts at _:H accepts an arc" in svg


def test_cycles_loops_groups_and_the_class_of_home_are_drawn(tmp_path: Path) -> None:
    text = "(_:H, A) (_:H,?1,(A,p1,B)) (?1,?1,(B,p4+,B)) (?1,_:H,(B,p4,A)) NOT EXISTS { (?1,?2,(B,p3,D)) }"
    svg = drawn(tmp_path, text, "there_and_back", ontology="cyclic")
    assert shapes(svg)["vertex"] == 2
    assert "absent: " in svg


def test_graphs_inside_a_composite_are_drawn(tmp_path: Path) -> None:
    found = shapes(
        drawn(
            tmp_path,
            "graph{ASK { _:H <urn:a> ?x }} && graph{ASK { _:H <urn:b> ?y }}",
            language="opsl",
        )
    )
    assert found["vertex"] == 4


def test_what_is_no_graph_is_not_drawn(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedProblem, match="NothingToDraw"):
        drawn(tmp_path, "a = 1", language="selector")
