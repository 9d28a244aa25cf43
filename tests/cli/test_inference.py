"""`infer` wherever an ontology is given, and `check` that tells what of it is used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tocsin
from tocsin.catalog import Definition
from tocsin.cli.main import app
from tocsin.errors import MeaningProblem

ONTOLOGY = """@prefix : <http://x/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:heads rdfs:domain :Person ; rdfs:range :Department . :headedBy owl:inverseOf :heads .
"""
PERSON = {"id": "person", "language": "graph", "expression": "ASK { _:H a :Person }"}
EVENT = {
    "id": "1",
    "source": "s",
    "type": "t",
    "datacontenttype": "text/turtle",
    "data": "@prefix : <http://x/> . _:H :heads _:d .",
}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    for name, text in (
        ("o.ttl", ONTOLOGY),
        ("s.jsonl", json.dumps(PERSON)),
        ("e.jsonl", json.dumps(EVENT)),
    ):
        (tmp_path / name).write_text(text)
    return str(tmp_path / "o.ttl"), str(tmp_path / "s.jsonl"), str(tmp_path / "e.jsonl")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(
    ("infer", "rings"), [([], 0), (["--infer", "domain-range"], 1), (["--infer", "inverse"], 0)]
)
def test_match_infers_what_it_is_told(
    files: tuple[str, str, str], engine: str, infer: list[str], rings: int
) -> None:
    ontology, subscriptions, events = files
    found = run("match", subscriptions, events, "--ontology", ontology, "--engine", engine, *infer)
    assert len(found.splitlines()) == rings


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_match_takes_domains_and_ranges_as_meta_statements_where_it_is_told_to(
    files: tuple[str, str, str], engine: str
) -> None:
    ontology, subscriptions, events = files
    reversed_ends = "ASK { _:H a :Department ; :heads ?d . ?d a :Person }"
    Path(subscriptions).write_text(json.dumps(PERSON | {"expression": reversed_ends}))
    given = ("match", subscriptions, events, "--ontology", ontology, "--engine", engine)
    run(*given)
    done = CliRunner().invoke(app, [*given, "--infer", "meta-statements"])
    assert done.exit_code == 1
    assert "META_UNSATISFIABLE" in done.output
    Path(subscriptions).write_text(json.dumps(PERSON | {"expression": "ASK { _:H :heads ?d }"}))
    done = CliRunner().invoke(app, [*given, "--infer", "meta-statements"])
    assert "ILLEGAL_STATEMENT" in done.output


def test_verify_and_explain_infer(files: tuple[str, str, str]) -> None:
    ontology, subscriptions, events = files
    run("verify", subscriptions, events, "--ontology", ontology, "--infer", "domain-range,inverse")
    told = run(
        "explain",
        subscriptions,
        "--event",
        events,
        "--ontology",
        ontology,
        "--infer",
        "domain-range",
    )
    assert "event 1: rings" in told


def test_an_ontology_of_a_file_of_subscriptions_says_what_it_infers(
    files: tuple[str, str, str],
) -> None:
    _, subscriptions, events = files
    define = {
        "define": "univ",
        "ontology": ONTOLOGY,
        "infer": ["domain-range", "inverse", "existential"],
    }
    Path(subscriptions).write_text(f"{json.dumps(PERSON)}\n{json.dumps(define)}\n")
    assert len(run("match", subscriptions, events).splitlines()) == 1
    kept = Definition.from_json(define)
    assert Definition.from_json(kept.as_json()) == kept
    assert kept.media_type == "text/turtle"


def test_a_hub_infers(files: tuple[str, str, str]) -> None:
    for infer, rings in ((None, 0), (["domain-range"], 1), ("domain-range", 1)):
        hub = tocsin.Hub(ontology=files[0], infer=infer)
        hub.subscribe(PERSON["expression"], language="graph")
        assert len(hub.publish(EVENT)) == rings


def test_a_catalog_keeps_what_is_inferred(files: tuple[str, str, str], tmp_path: Path) -> None:
    url = str(tmp_path / "c.db")
    run("catalog", "create", url, files[1], "--ontology", files[0], "--infer", "domain-range")
    hub = tocsin.Hub(catalog=url)
    assert len(hub.publish(EVENT)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"infer": ["everything"]},
        {"infer": 5},
        {"infer": [None]},
        {"format": 5},
        {"ontology": ["a"]},
    ],
)
def test_a_wrong_definition_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(MeaningProblem) as caught:
        Definition.from_json({"define": "univ", "ontology": ONTOLOGY, **wrong})
    assert caught.value.token


def test_infer_without_an_ontology_is_refused(files: tuple[str, str, str]) -> None:
    done = CliRunner().invoke(app, ["match", files[1], files[2], "--infer", "inverse"])
    assert isinstance(done.exception, MeaningProblem)
    assert done.exception.code == "OptionError"
    with pytest.raises(MeaningProblem):
        tocsin.Hub(infer=["inverse"])


def test_check_tells_what_of_an_ontology_is_used(files: tuple[str, str, str]) -> None:
    ontology, subscriptions, _ = files
    assert run("check", "--ontology", ontology).splitlines() == [
        f"{ontology}: uses: nothing; not used: owl:inverseOf 1, rdfs:domain 1, rdfs:range 1",
        f"{ontology}: hint: infer domain-range would use rdfs:domain, rdfs:range",
        f"{ontology}: hint: infer inverse would use owl:inverseOf",
        f"{ontology}: hint: the language concept uses rdfs:range as far as a TBox can say it",
    ]
    told = run("check", subscriptions, "--ontology", ontology, "--infer", "inverse")
    assert told.startswith(
        f"{ontology}: uses: owl:inverseOf 1; not used: rdfs:domain 1, rdfs:range 1\n"
    )


def test_check_needs_something_to_check() -> None:
    assert isinstance(CliRunner().invoke(app, ["check"]).exception, MeaningProblem)
