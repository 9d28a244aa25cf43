"""DAML+OIL ontologies, as the first paper writes them, mean what they mean in RDF Schema
and OWL.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tocsin
from tocsin.knowledge.loading import KnowledgeSource, load_ontology, ontology_of
from tocsin.knowledge.ontology import Ontology
from tocsin.values.media_types import RDF_XML
from tocsin.values.terms import ANY_LITERAL, DATE_TIME, DECIMAL, THING, XSD

X = "http://auction.example/"
SPACES = ["http://www.daml.org/2001/03/daml+oil#", "http://www.daml.org/2000/12/daml+oil#"]

AUCTION = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:daml="{daml}"
         xmlns:xsd="http://www.w3.org/2000/10/XMLSchema#" xmlns="http://auction.example/" xml:base="http://auction.example/">
  <daml:Ontology rdf:about=""><daml:versionInfo>1</daml:versionInfo></daml:Ontology>
  <daml:Class rdf:about="Product"><daml:subClassOf rdf:resource="{daml}Thing"/></daml:Class>
  <daml:Class rdf:about="Computer"><daml:subClassOf rdf:resource="Product"/></daml:Class>
  <daml:Class rdf:about="Laptop"><daml:subClassOf rdf:resource="Computer"/></daml:Class>
  <daml:Class rdf:about="Notebook"><daml:sameClassAs rdf:resource="Laptop"/></daml:Class>
  <daml:Class rdf:about="Portable"><daml:equivalentTo rdf:resource="Laptop"/></daml:Class>
  <daml:Class rdf:about="Goods"><daml:unionOf rdf:parseType="daml:collection">
    <daml:Class rdf:about="Product"/><daml:Class rdf:about="Service"/></daml:unionOf></daml:Class>
  <daml:Class rdf:about="Bargain"><daml:intersectionOf rdf:parseType="daml:collection">
    <daml:Class rdf:about="Product"/><daml:Class rdf:about="Cheap"/></daml:intersectionOf></daml:Class>
  <daml:ObjectProperty rdf:about="target"><daml:domain rdf:resource="Selling"/><daml:range rdf:resource="Product"/></daml:ObjectProperty>
  <daml:ObjectProperty rdf:about="mainTarget"><daml:subPropertyOf rdf:resource="target"/></daml:ObjectProperty>
  <daml:ObjectProperty rdf:about="goal"><daml:samePropertyAs rdf:resource="target"/></daml:ObjectProperty>
  <daml:DatatypeProperty rdf:about="cost"><daml:equivalentTo rdf:resource="price"/><daml:range rdf:resource="http://www.w3.org/2000/10/XMLSchema#decimal"/></daml:DatatypeProperty>
</rdf:RDF>
"""


@pytest.fixture(params=SPACES, ids=["2001", "2000"])
def daml(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def auction(daml: str) -> Ontology:
    return ontology_of([KnowledgeSource(AUCTION.format(daml=daml), RDF_XML)])


def above(ontology: Ontology, name: str) -> set[str]:
    return {each.removeprefix(X) for each in ontology.superclasses(X + name)} - {THING}


def test_classes_and_equivalents(auction: Ontology) -> None:
    for name in ("Laptop", "Notebook", "Portable"):
        assert above(auction, name) >= {"Computer", "Product", "Goods"}
    assert above(auction, "Service") == {"Service", "Goods"}
    assert above(auction, "Bargain") == {"Bargain", "Product", "Cheap", "Goods"}
    assert (
        len({auction.canonical_class(X + name) for name in ("Laptop", "Notebook", "Portable")}) == 1
    )


def test_properties_and_equivalents(auction: Ontology) -> None:
    assert auction.canonical_property(X + "target") in auction.superproperties(X + "mainTarget")
    assert auction.canonical_property(X + "goal") == auction.canonical_property(X + "target")
    assert auction.canonical_property(X + "cost") == auction.canonical_property(X + "price")


def test_no_word_of_daml_is_left_in_the_ontology(auction: Ontology, daml: str) -> None:
    assert {each for each in auction.classes | auction.properties if each.startswith(daml)} == {
        daml + "Thing",
        daml + "Literal",
    }
    assert auction.canonical_class(daml + "Thing") == THING
    assert auction.canonical_class(daml + "Literal") == ANY_LITERAL
    assert DECIMAL in auction.classes
    assert not any("2000/10/XMLSchema" in each for each in auction.classes)


def test_a_daml_file_is_an_ontology_of_a_hub(tmp_path: Path, daml: str) -> None:
    path = tmp_path / "auction.daml"
    path.write_text(AUCTION.format(daml=daml))
    assert load_ontology([path]).is_class(X + "Laptop")
    hub, rung = tocsin.Hub(ontology=str(path)), []
    text = f"PREFIX a: <{X}> (_:H, ?1, (daml:Thing, a:target, a:Computer))"
    hub.subscribe(text, language="graph", id="s", to=rung.append)
    for number, kind in enumerate(("Notebook", "Service")):
        data = f"@prefix : <{X}> . _:H a :Selling ; :mainTarget [ a :{kind} ] ."
        hub.publish(
            {
                "id": str(number),
                "source": "s",
                "type": "t",
                "datacontenttype": "text/turtle",
                "data": data,
            }
        )
    assert [match.events for match in rung] == [("0",)]


def test_names_by_rdf_id_stand_in_the_default_namespace(daml: str) -> None:
    text = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:daml="{daml}" xmlns="{X}#">
      <daml:Class rdf:ID="Laptop"><daml:subClassOf rdf:resource="#Computer"/></daml:Class></rdf:RDF>"""
    assert X + "#Computer" in ontology_of([KnowledgeSource(text, RDF_XML)]).superclasses(
        X + "#Laptop"
    )


OLD_SCHEMAS = [
    "http://www.w3.org/1999/XMLSchema#",
    "http://www.w3.org/2000/08/XMLSchema#",
    "http://www.w3.org/2000/10/XMLSchema#",
    "http://www.w3.org/2000/10/XMLSchema-datatypes#",
    "http://www.w3.org/2001/XMLSchema-datatypes#",
]
NUMERIC = ["decimal", "integer", "double", "float", "int", "nonNegativeInteger"]
PRICES = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:daml="{daml}"
  xmlns:{prefix}="{declared}" xmlns="http://auction.example/" xml:base="http://auction.example/">
  <daml:DatatypeProperty rdf:about="price"><daml:range rdf:resource="{schema}{datatype}"/></daml:DatatypeProperty>
</rdf:RDF>"""


@given(
    schema=st.sampled_from([*OLD_SCHEMAS, XSD]),
    is_marked=st.booleans(),
    space=st.sampled_from(SPACES),
    prefix=st.sampled_from(["xsd", "xs", "dt"]),
    datatype=st.sampled_from(NUMERIC),
)
def test_the_prefix_of_an_old_schema_means_the_datatypes_of_today(
    schema: str, is_marked: bool, space: str, prefix: str, datatype: str
) -> None:
    text = PRICES.format(
        daml=space,
        prefix=prefix,
        declared=schema if is_marked else schema.removesuffix("#"),
        schema=schema,
        datatype=datatype,
    )
    hub, rung = tocsin.Hub(), []
    hub.define(tocsin.Definition("prices", ontology=text, media_type=RDF_XML))
    hub.subscribe(
        f"(_:H, ?1, (owl:Thing, price, {prefix}:{datatype}), ?1 < 400)",
        language="graph",
        id="s",
        to=rung.append,
    )
    for number, price in enumerate((350.0, 450)):
        hub.publish({"id": str(number), "source": "s", "type": "t", "data": {"price": price}})
    assert [match.events for match in rung] == [("0",)]


@pytest.mark.parametrize("schema", OLD_SCHEMAS)
def test_datatypes_of_the_drafts_have_their_names_of_today(schema: str) -> None:
    text = PRICES.format(
        daml=SPACES[0], prefix="xsd", declared=schema, schema=schema, datatype="timeInstant"
    )
    assert ontology_of([KnowledgeSource(text, RDF_XML)]).value_classes(X + "price") == {DATE_TIME}


@pytest.mark.parametrize(
    "namespace",
    [
        "http://www.w3.org/2000/10/XMLSchema-instance",
        "http://www.w3.org/2000/10/XMLSchema/more#",
        "http://shop.example/XMLSchema#",
        SPACES[1],
    ],
)
def test_other_prefixes_stay(namespace: str) -> None:
    text = f"@prefix p: <{namespace}> . @prefix : <{X}> . :A a :B ."
    assert ontology_of([KnowledgeSource(text)]).prefixes["p"] == namespace
