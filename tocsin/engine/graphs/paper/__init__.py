"""The paper's strategy (spec 4.2-4.6): statement types with waiting lists, matching trees, SBPV,
BEBV.
"""
