"""The compiled path for the most common operators: two events with a window.

Begin with `detector.py`: state is in tables while batches arrive, and in the operators otherwise.
`compile.py` says which operators the loops can serve, `tables.py` and `layout.py` have the arrays,
`kernel.py` the loops, `emitters.py` the results, `runtime.py` the way there and back.

Imports: `engine.columns`, `engine.detection`, `engine.index`, `events`, `plan`, `values`.
Test a change with: `tests/engine/detection/test_batches.py`: batches and operators are compared.
"""
