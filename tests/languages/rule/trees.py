"""Random syntax trees of rules, in the one form that each has."""

from __future__ import annotations

from hypothesis import strategies as st

from tocsin.languages.rule.syntax import (
    ALLEN,
    EMIT_MODES,
    FUNCTIONS,
    RELATIONS,
    AggregateSyntax,
    AllenRelation,
    AtomSyntax,
    Distance,
    EmbeddedAtom,
    EventAtom,
    Inside,
    Length,
    Meets,
    NearRegion,
    Over,
    PartSyntax,
    PathName,
    Region,
    Repeat,
    RuleAnd,
    RuleArithmetic,
    RuleAttribute,
    RuleComparison,
    RuleConstant,
    RuleOr,
    RuleSequence,
    RuleSyntax,
    SelectItem,
    SequenceStep,
    Slides,
    StateChangeSyntax,
    Unit,
    ValueSyntax,
)

LENGTHS = st.builds(
    Length, st.sampled_from([0, 1, 1_500, 1_000_000, 90_000_000, 7_200_000_000, 86_400_000_000])
)
NUMBERS = st.one_of(st.integers(-20, 20), st.floats(-1e9, 1e9, allow_nan=False))
TYPES = st.sampled_from(
    ["move", "com.acme.order", "E-A", "then", "no", "count", "a b", "x3", "before", "Zoë", "first"]
)
CONDITIONS = st.sampled_from(
    ["", "kind = 'left'", "a = ')' AND (b < 3 OR c = 'it''s')", '"--" = x', "`a)b` = 1"]
)
STATES = st.sampled_from(
    ["v > 8", "a = 1 AND b = 2 OR NOT c", "for = 1", "x3 > 8", "(then)", "k = ' THEN '", "a.then"]
)
PATHS = st.sampled_from(["parcel", "a.b", "`a b`.c", "ce_source", "order.then"])
LABELS = st.sampled_from(["a", "b2", "since"])
TEXTS = st.sampled_from([("selector", "a = '}'"), ("graph", '?x a "}"'), ("xml", "<a>$x</a>")])

EVENTS = st.builds(EventAtom, TYPES, CONDITIONS)
ATOMS: st.SearchStrategy[AtomSyntax] = st.one_of(
    EVENTS, TEXTS.map(lambda each: EmbeddedAtom(each[0], each[1]))
)
REGIONS = st.builds(Region, st.sampled_from(["Depot", "E-A", "POLYGON((0 0, 1 0, 1 1, 0 0))"]))
IN_REGION = st.builds(Inside, REGIONS)
PLACED = st.one_of(IN_REGION, st.builds(NearRegion, REGIONS, NUMBERS))
ANY_STATE = st.one_of(st.builds(Meets, STATES), PLACED)
CHANGES = st.one_of(
    st.builds(StateChangeSyntax, ATOMS, st.sampled_from(["BECOMES", "CEASES", "HOLDS"]), ANY_STATE),
    st.builds(StateChangeSyntax, ATOMS, st.just("HOLDS"), ANY_STATE, LENGTHS),
    st.builds(StateChangeSyntax, ATOMS, st.sampled_from(["ENTERS", "LEAVES"]), IN_REGION),
)
NAMED_PATHS = st.builds(PathName, PATHS)
AGGREGATES = st.one_of(
    st.builds(AggregateSyntax, st.just("COUNT"), ATOMS),
    st.builds(AggregateSyntax, st.just("COUNT"), ATOMS, NAMED_PATHS, st.just(True)),
    st.builds(AggregateSyntax, st.sampled_from(FUNCTIONS[1:]), ATOMS, NAMED_PATHS),
)
SLIDES = st.builds(
    Slides, AGGREGATES, st.sampled_from(RELATIONS), NUMBERS, LENGTHS, st.none() | LENGTHS
)
REPEATS = st.one_of(
    st.builds(Repeat, st.integers(0, 9), st.none()),
    st.integers(0, 9).flatmap(
        lambda least: st.builds(Repeat, st.just(least), st.integers(least, 12))
    ),
)


def _grown(inner: st.SearchStrategy[PartSyntax]) -> st.SearchStrategy[PartSyntax]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(RuleAnd, several),
        st.builds(RuleOr, several),
        st.builds(AllenRelation, inner, st.sampled_from(ALLEN), inner, st.booleans()),
        st.builds(Unit, inner, LABELS, st.none() | REPEATS),
        st.builds(Unit, inner, st.just(""), REPEATS),
        st.builds(RuleSequence, st.lists(_steps(inner), min_size=2, max_size=4).map(tuple)),
        st.builds(SequenceStep, inner, st.booleans(), LENGTHS).map(
            lambda step: RuleSequence((step,))
        ),
        st.builds(SequenceStep, inner, st.just(True)).map(lambda step: RuleSequence((step,))),
    )


def _steps(inner: st.SearchStrategy[PartSyntax]) -> st.SearchStrategy[SequenceStep]:
    return st.builds(SequenceStep, inner, st.booleans(), st.none() | LENGTHS)


PARTS: st.SearchStrategy[PartSyntax] = st.recursive(
    st.one_of(ATOMS, CHANGES, SLIDES), _grown, max_leaves=6
)

CONSTANTS = st.builds(
    RuleConstant, st.one_of(NUMBERS, st.booleans(), st.sampled_from(["", "it's", '"', "a--b"]))
)
READS: st.SearchStrategy[ValueSyntax] = st.one_of(
    st.builds(RuleAttribute, LABELS, PATHS),
    st.builds(Over, st.just("COUNT"), LABELS),
    st.builds(Over, st.sampled_from([*FUNCTIONS[1:], "FIRST", "LAST"]), LABELS, PATHS),
    st.builds(Distance, LABELS, LABELS),
)


def _computed(inner: st.SearchStrategy[ValueSyntax]) -> st.SearchStrategy[ValueSyntax]:
    unsigned = inner.filter(
        lambda each: not isinstance(each, RuleConstant) or each.kind != "number"
    )
    return st.one_of(
        st.builds(RuleArithmetic, st.sampled_from("+-*/"), st.tuples(inner, inner)),
        st.builds(RuleArithmetic, st.sampled_from("+-"), st.tuples(unsigned)),
    )


VALUES: st.SearchStrategy[ValueSyntax] = st.recursive(
    st.one_of(READS, CONSTANTS), _computed, max_leaves=5
)
RULES = st.builds(
    RuleSyntax,
    PARTS,
    st.lists(st.builds(PathName, PATHS, st.booleans()), max_size=2).map(tuple),
    st.lists(st.builds(RuleComparison, VALUES, st.sampled_from(RELATIONS), VALUES), max_size=2).map(
        tuple
    ),
    st.none() | LENGTHS,
    st.sampled_from(["", *EMIT_MODES]),
    st.lists(st.builds(SelectItem, VALUES, st.sampled_from(["", "paid", "then"])), max_size=2).map(
        tuple
    ),
    st.sampled_from(["", "recent"]),
    st.none() | LENGTHS,
)
