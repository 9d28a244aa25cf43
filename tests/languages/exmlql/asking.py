"""Asking one document: a subscription parsed, matched by the reference and the engine, and what
comes out.
"""

from __future__ import annotations

from tests.engine.xml.worlds import xml_event
from tests.languages.asked import EXMLQL
from tocsin.engine.columns.batch import Batch
from tocsin.engine.xml import BlockMatcher
from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.languages.base.reading import Context
from tocsin.plan.bindings import Rows
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.xml.construction import Construct, construct
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.reference import blocks as reference

parse, problems = EXMLQL.parse, EXMLQL.problems


def parsed(text: str) -> Plan:
    """The plan of a subscription."""
    return parse(text, {}, Context())


def block_of(text: str) -> XmlBlock:
    """The block of a subscription about one event."""
    pattern: object = parsed(text).pattern
    assert isinstance(pattern, XmlBlock)
    return pattern


def problems_of(text: str) -> list[Problem]:
    """All problems of a subscription."""
    return problems(text, {}, Context())


def rows(block: XmlBlock, event: Event) -> Rows:
    """The rows of a block, on which the reference and the engine agree."""
    matcher = BlockMatcher()
    matcher.add("s", block)
    hits = matcher.match(Batch([event]))
    found = matcher.rows(block, event)
    assert found == reference.rows(block, event)
    assert bool(len(hits)) == bool(found)
    return found


def matches(text: str, xml: str) -> bool:
    """Whether a subscription to one event takes the document."""
    return bool(rows(block_of(text), xml_event(xml)))


def outputs(text: str, xml: str) -> list[str]:
    """What a subscription builds from one document."""
    plan = parsed(text)
    output: object = plan.output
    assert isinstance(output, Construct)
    return construct(output.templates, rows(block_of(text), xml_event(xml)), output.conditions)
