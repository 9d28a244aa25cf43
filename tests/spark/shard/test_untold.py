"""On Spark, too, what cannot be built or decided is a dead letter with its reason, and the others
are served.
"""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.builders import event_text
from tests.spark.scenes import found_in
from tocsin.catalog import Definition, Subscription
from tocsin.spark import dead_letters_of, match_with_dead_letters, matches_of

ENTRIES = [
    Definition("names", document="<names><name>a b</name></names>"),
    Subscription("ring", "exmlql", "WHERE <a></>"),
    Subscription("name", "exmlql", "WHERE <a><t>$t</></> CONSTRUCT <$t></>"),
    Subscription(
        "long", "exmlql", 'WHERE <a><t>$t</></>, length(replace($t, "x", concat($t, $t))) > 1'
    ),
]
COMPOSITE = Subscription(
    "both",
    "exmlql",
    'WHERE <a></> #A <b></> #B #A ; #B CONSTRUCT <o>WHERE <name>$n</> IN "names" CONSTRUCT <$n></></>',
)


def line(name: str, second: int, xml: str) -> str:
    return event_text(name, second=second, content_type="application/xml", data=xml)


@pytest.mark.parametrize("composites", [False, True])
def test_dead_letters_of_what_cannot_be_told(spark: SparkSession, composites: bool) -> None:
    lines = [
        line("1", 0, f"<a><t>{'x' * 1000}</t></a>"),
        line("2", 1, "<a><t>1 2</t></a>"),
        line("3", 2, "<b/>"),
    ]
    frame = spark.createDataFrame([(each,) for each in lines], "value string").repartition(2)
    both = match_with_dead_letters(
        frame, [*ENTRIES, *([COMPOSITE] if composites else [])], shards=2
    ).cache()
    letters = sorted((row["subscription"], row["code"]) for row in dead_letters_of(both).collect())
    # x 1000 times, each 2000 times as long: past the limit; as the name of an element it is one
    composite = [("both", "NotAnXmlName")] if composites else []
    assert letters == [*composite, ("long", "LIMIT"), ("name", "NotAnXmlName")]
    found = {(match.subscription, match.events) for match in found_in(matches_of(both))}
    assert found >= {("ring", ("1",)), ("ring", ("2",)), ("name", ("1",))}
