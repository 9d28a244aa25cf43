"""Every parser of strangers' texts refuses what is small and costs much, with a problem, and within
little memory: each bomb goes off in a process of its own, which may not grow.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.fuzz.parser_bombs import BOMBS
from tocsin.errors import LimitProblem
from tocsin.values.limits import RdfLimits
from tocsin.values.media_types import RDF_XML
from tocsin.values.rdf import read_rdf

_TRIED = """
import resource, sys
from random import Random
from tests.fuzz.parser_bombs import BOMBS
from tocsin.errors import Problem
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
for seed in range(int(sys.argv[2])):
    read = BOMBS[sys.argv[1]](Random(seed))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        read()
    except Problem as problem:
        print(problem.code)
    else:
        sys.exit("was read")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    if grown > 300 << 10:
        sys.exit(f"grew by {grown} KiB")
"""


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused(bomb: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TRIED, bomb, "2"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 2


def test_the_entities_of_real_ontologies_are_read() -> None:
    text = (
        '<!DOCTYPE rdf:RDF [<!ENTITY x "http://x/"><!ENTITY y "&x;y#">]>'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://x/">'
        '<A rdf:about="&y;a"/></rdf:RDF>'
    )
    read = read_rdf(text, RDF_XML)
    assert [subject.text for subject, _, _ in read.triples] == ["http://x/y#a"]  # type: ignore[union-attr]
    assert read.prefixes[""] == "http://x/"


@pytest.mark.parametrize("count", [1, 100])
def test_limits_are_those_of_one_place(count: int) -> None:
    """What is within the limits by one is read, and refused with one more."""
    inside = "<p><A>" * count + "</A></p>" * count
    text = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://x/">'
        f'<A rdf:about="urn:a">{inside}</A></rdf:RDF>'
    )
    depth = 2 + 2 * count
    assert len(read_rdf(text, RDF_XML, limits=RdfLimits(depth=depth)).triples) == 1 + 2 * count
    with pytest.raises(LimitProblem, match="nests deeper"):
        read_rdf(text, RDF_XML, limits=RdfLimits(depth=depth - 1))
