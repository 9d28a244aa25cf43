"""What is said never to be true of a value is true of none: conditions against every value of a
small world.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tocsin.languages import parse_subscription, warnings_in_subscription
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.reference.row_values import truth_in
from tocsin.values.truth import Truth

CONSTANTS = ("1", "2", "2.0", '"2"', '"a"', '"b"', '""', '"-3"')
VALUES = ("", "-3", "0", "1", "1.0", "1.5", "2", "02", "3", "a", "b", "ab", ("<b/>",))

tests = st.builds(
    "$x {} {}".format,
    st.sampled_from(("<", "<=", "=", "!=", ">", ">=")),
    st.sampled_from(CONSTANTS),
)
turned = st.builds("{} {} $x".format, st.sampled_from(CONSTANTS), st.sampled_from(("<", "=", ">=")))


@given(st.lists(st.one_of(tests, turned), min_size=1, max_size=4))
def test_what_is_said_never_to_ring_never_does(conditions: list[str]) -> None:
    text = f"WHERE <a>$x</>, {', '.join(conditions)}"
    if warnings_in_subscription("exmlql", text, {}):
        block = parse_subscription("exmlql", text, {}).pattern
        assert isinstance(block, XmlBlock)
        for value in VALUES:
            assert any(truth_in(each, {"$x": value}) is not Truth.TRUE for each in block.conditions)
