"""Every step of an execution as a table of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from algolens.errors import AlgoLensError
from algolens.front.result_table import own_values
from algolens.graphs import Location
from algolens.terminal.steps import because

if TYPE_CHECKING:
    import pandas as pd

    from algolens.front.execution import Execution


def step_table(execution: Execution) -> pd.DataFrame:
    """A row for each step and element; ``Execution.to_pandas`` says what its columns hold."""
    location = execution.run.algorithm.declaration.location
    try:
        import pandas
    except ImportError as missing:
        raise AlgoLensError("pandas is not installed: pip install 'algolens[table]'.") from missing
    run = execution.run.with_trace()
    steps_taken, places = range(execution.steps), range(len(execution.elements))
    columns: dict[str, list[Any]] = {"step": [step + 1 for step in steps_taken for _ in places]}
    if location is Location.NODE:
        columns["node"] = list(execution.nodes) * execution.steps
    else:
        for i, end in enumerate(("source", "target")):
            columns[end] = [pair[i] for pair in execution.elements] * execution.steps
    if run.has_concepts:
        for name in run.algorithm.declaration.concepts:
            columns[name] = run[name].flatten().tolist()
    for name in run.outputs:
        values = (own_values(run, execution.given, name, step) for step in steps_taken)
        columns[name] = [value for of_step in values for value in of_step]
    for name in execution.side.rule_set.rules if run.has_concepts else ():
        columns[f"because_{name}"] = _reasons(execution, name)
    return pandas.DataFrame(columns)


def _reasons(execution: Execution, output: str) -> list[str]:
    """Why an output is as it is, in every step at every element; once for each pattern."""
    run, count = execution.run, len(execution.elements)
    decided = run.outputs[output].flatten().tolist()
    patterns = zip(decided, *run.concepts.flatten(0, 1).T.tolist(), strict=True)
    known: dict[tuple[Any, ...], str] = {}
    reasons = []
    for i, pattern in enumerate(patterns):
        if pattern not in known:
            known[pattern] = because(run, i // count, i % count, output, execution.side.rule_set)
        reasons.append(known[pattern])
    return reasons
