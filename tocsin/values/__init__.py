"""Values that all packages share: time, truth, scalars, texts, RDF terms, space.

Begin with `time.py`, `truth.py` and `scalars.py`. `like.py` and `regex.py` match texts,
`formats.py` has numbers and dates as documents write them, `media_types.py` tells types of data
apart, `rdf.py` reads RDF, `terms.py` compares its terms, `space.py` has geometries, `globe.py` and
`globe_distance.py` places on the earth, `regions.py` many regions at once, `allen.py` interval
relations, `limits.py` the bounds of untrusted input. No events, no plans, no I/O.

Imports: `errors`, `lazy_import`.
Test a change with: `tests/values`.
"""
