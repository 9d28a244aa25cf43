"""Queries over HTTP: parameters, pages, discovery, headers, errors."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.service.epcis.conftest import document, event, listed, numbers


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", list(range(10))),
        ("EQ_bizStep=packing", [0, 3, 6]),
        ("EQ_bizStep=urn:epcglobal:cbv:bizstep:packing", [0, 3, 6]),
        ("EQ_bizStep=packing|loading&EQ_eventID=urn:uuid:3|urn:uuid:4", [3]),
        ("MATCH_epc=urn:epc:id:sgtin:0614141.107346.9", [9]),
        (
            "MATCH_anyEPC=urn:epc:idpat:sgtin:0614141.107346.*&orderBy=eventTime&eventCountLimit=2",
            [9, 8],
        ),
        ("GE_eventTime=2026-01-31T07:05:00Z&orderBy=eventTime&orderDirection=ASC", [5, 6, 7, 8, 9]),
        ("GE_https://acme.example/rank=8", [8, 9]),
        ("EQ_readPoint=https://id.gs1.org/414/0614141000012", list(range(10))),
        ("eventType=AggregationEvent", []),
        ("maxEventCount=10", list(range(10))),
        ("EXISTS_errorDeclaration=false&EQ_action=OBSERVE", list(range(10))),
    ],
)
def test_events_are_asked_for(filled, standard, query, found):
    answer = filled.get(f"/epcis/events?{query}")
    assert numbers(answer) == found
    standard.require("epcisQueryDocument", answer.json())
    assert answer.json()["epcisBody"]["queryResults"]["queryName"] == "SimpleEventQuery"


@pytest.mark.parametrize(
    ("query", "status", "kind"),
    [
        ("EQ_bizstep=packing", 400, "QueryParameterException"),
        ("EQ_bizStep=nonsense", 400, "QueryParameterException"),
        ("EQ_action=LOOK", 400, "QueryParameterException"),
        ("GE_eventTime=yesterday", 400, "QueryParameterException"),
        ("perPage=0", 400, "QueryParameterException"),
        ("nextPageToken=x", 400, "QueryParameterException"),
        ("orderBy=bizStep", 400, "QueryParameterException"),
        ("maxEventCount=3", 413, "QueryTooLargeException"),
        ("x=" + "y" * 20_000, 414, "URITooLongException"),
    ],
)
def test_wrong_parameters(filled, standard, query, status, kind):
    answer = filled.get(f"/epcis/events?{query}")
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == f"epcisException:{kind}"
    response = {400: "400QueryIssues", 413: "413QueryScopeOrSize", 414: "414URLTooLong"}[status]
    standard.require_problem(answer.json(), response)


def test_pages_follow_the_link(filled):
    found, url, pages = [], "/epcis/events?perPage=4&EQ_action=OBSERVE", 0
    while url:
        answer = filled.get(url)
        found += numbers(answer)
        url = answer.links.get("next", {}).get("url")
        pages += 1
    assert (found, pages) == (list(range(10)), 3)


def test_token_of_another_query(filled):
    url = filled.get("/epcis/events?perPage=4").links["next"]["url"]
    answer = filled.get(f"{url}&EQ_action=OBSERVE")
    assert answer.json()["type"] == "epcisException:QueryParameterException"


def test_event_and_its_error_declaration(client):
    client.post("/epcis/capture", json=document(event(1))).raise_for_status()
    declared = {"declarationTime": "2026-02-01T00:00:00Z", "reason": "incorrect_data"}
    body = {"@context": document()["@context"], **event(1, errorDeclaration=declared)}
    assert client.post("/epcis/events", json=body).status_code == 201
    found = listed(client.get("/epcis/events/urn:uuid:1"))
    assert [each.get("errorDeclaration") for each in found] == [None, declared]
    assert client.get("/epcis/events/urn:uuid:77").status_code == 404


def test_discovery(filled, standard):
    top = filled.get("/epcis/").json()
    standard.require("TopLevelResourceCollection", top)
    assert filled.get("/epcis/bizSteps").json()["member"] == ["packing", "shipping"]
    assert filled.get("/epcis/dispositions").json()["member"] == ["in_transit"]
    places = filled.get("/epcis/readPoints").json()
    standard.require("UriCollection", places)
    assert places["member"] == ["urn:epc:id:sgln:0614141.00001.0"]
    assert filled.get("/epcis/bizLocations").json()["member"] == []
    types = filled.get("/epcis/eventTypes").json()
    standard.require("EventTypeCollection", types)
    assert types["member"] == ["ObjectEvent"]
    assert len(filled.get("/epcis/epcs").json()["member"]) == 10


def test_discovery_in_pages(filled):
    found, url = [], "/epcis/epcs?perPage=3"
    while url:
        answer = filled.get(url)
        found += answer.json()["member"]
        url = answer.links.get("next", {}).get("url")
    assert len(found) == len(set(found)) == 10


def test_events_below_a_resource(filled, standard):
    assert numbers(filled.get("/epcis/bizSteps/packing/events")) == [0, 3, 6]
    assert numbers(filled.get("/epcis/bizSteps/packing/events?EQ_eventID=urn:uuid:3")) == [3]
    link = quote("https://id.gs1.org/01/10614141073464/21/4", safe="")
    assert numbers(filled.get(f"/epcis/epcs/{link}/events")) == [4]
    urn = "urn:epc:id:sgtin:0614141.107346.9"
    assert numbers(filled.get(f"/epcis/epcs/{urn}/events")) == [9]
    standard.require("ResourceCollection", filled.get(f"/epcis/epcs/{urn}").json())
    assert numbers(filled.get("/epcis/eventTypes/ObjectEvent/events?perPage=2")) == [0, 1]
    assert listed(filled.get("/epcis/eventTypes/AssociationEvent/events")) == []


@pytest.mark.parametrize(
    "path",
    [
        "epcs/urn:epc:id:sgtin:1.2.3",
        "epcs/urn:epc:id:sgtin:1.2.3/events",
        "bizSteps/nonsense",
        "bizSteps/loading/events",
        "nonsense",
        "nonsense/x",
        "nonsense/x/events",
        "queries/nonsense",
        "queries/nonsense/events",
        "queries/nonsense/subscriptions",
        "queries/nonsense/subscriptions/x",
    ],
)
def test_unknown_resource(filled, standard, path):
    answer = filled.get(f"/epcis/{path}")
    assert answer.status_code == 404, answer.text
    standard.require("RFC7807ProblemResponseBody", answer.json())
    assert answer.json()["type"].startswith("epcisException:NoSuch")


def test_headers_of_answers(filled):
    answer = filled.get("/epcis/events")
    assert answer.headers["GS1-EPCIS-Version"] == "2.0.0"
    assert answer.headers["GS1-CBV-Version"] == "2.0.0"
    assert "https://acme.example/" in answer.headers["GS1-Extensions"]
    context = answer.json()["@context"]
    assert context[1] == {"ext1": "https://acme.example/"}
    assert listed(answer)[3]["ext1:rank"] == 3


@pytest.mark.parametrize(
    "headers",
    [
        {"GS1-EPCIS-Min": "2.1"},
        {"GS1-EPCIS-Max": "1.2"},
        {"GS1-CBV-Min": "x"},
        {"GS1-EPCIS-Version": "9"},
        {"GS1-EPC-Format": "Sometimes"},
        {"Accept": "text/html"},
        {"GS1-EPC-Format": "Always_EPC_URN"},
    ],
)
def test_what_is_not_served(filled, standard, headers):
    answer = filled.get("/epcis/events", headers=headers)
    assert answer.status_code == 406, answer.text
    standard.require_problem(answer.json(), "406NotAcceptable")


def test_versions_that_are_served(filled):
    headers = {"GS1-EPCIS-Min": "1.2", "GS1-EPCIS-Max": "2.0", "Accept": "text/html, */*;q=0.1"}
    assert filled.get("/epcis/events", headers=headers).status_code == 200


def test_identifiers_in_the_form_that_is_asked_for(filled):
    headers = {"GS1-EPC-Format": "Always_GS1_Digital_Link"}
    (found,) = listed(filled.get("/epcis/events/urn:uuid:3", headers=headers))
    assert found["epcList"] == ["https://id.gs1.org/01/10614141073464/21/3"]
    (found,) = listed(
        filled.get("/epcis/events/urn:uuid:3", headers={"GS1-EPC-Format": "Always_EPC_URN"})
    )
    assert found["epcList"] == ["urn:epc:id:sgtin:0614141.107346.3"]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("", "OPTIONS, GET"),
        ("events", "OPTIONS, GET, POST"),
        ("events/x", "OPTIONS, GET"),
        ("epcs", "OPTIONS, GET"),
        ("epcs/x/events", "OPTIONS, GET"),
        ("capture/x", "OPTIONS, GET"),
        ("queries", "OPTIONS, GET, POST"),
        ("queries/x", "OPTIONS, GET, DELETE"),
        ("queries/x/events", "OPTIONS, GET"),
        ("queries/x/subscriptions", "OPTIONS, GET, POST"),
        ("queries/x/subscriptions/y", "OPTIONS, DELETE, GET"),
    ],
)
def test_options(filled, path, allowed):
    answer = filled.options(f"/epcis/{path}")
    assert answer.status_code == 204
    assert answer.headers["Allow"] == allowed
    assert answer.headers["GS1-EPCIS-Max"] == "2.0.0"


def test_method_that_is_not_there(filled, standard):
    answer = filled.put("/epcis/events", json={})
    assert answer.status_code == 405
    standard.require("RFC7807ProblemResponseBody", answer.json())


def test_token_cannot_be_invalidated(filled, standard):
    answer = filled.delete("/epcis/nextPageToken/x")
    assert answer.status_code == 501
    standard.require_problem(answer.json(), "501NotImplemented")
