"""Every step of an execution as a table of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from algolens.errors import AlgoLensError
from algolens.front.result_table import own_values
from algolens.graphs import Location
from algolens.terminal.reasons import reasons_at
from algolens.terminal.sentences import Sentences

MOST_ROWS = 20_000_000

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
    if execution.steps * len(places) > MOST_ROWS:
        raise AlgoLensError(
            f"a table of {execution.steps:,} steps at {len(places):,} {location.value}s has too "
            f"many rows ({MOST_ROWS:,} at most): read run[name][step], or explain(...)."
        )
    columns: dict[str, list[Any]] = {"step": [step + 1 for step in steps_taken for _ in places]}
    if location is Location.NODE:
        columns["node"] = list(execution.nodes) * execution.steps
    else:
        for i, end in enumerate(("source", "target")):
            columns[end] = [pair[i] for pair in execution.elements] * execution.steps
    order = run.graph.named_order(location).tolist()
    if run.has_concepts:
        for name in run.algorithm.declaration.concepts:
            columns[name] = run[name].dense()[:, order].flatten().tolist()
    for name in run.outputs:
        values = (own_values(run, execution.given, name, step) for step in steps_taken)
        columns[name] = [value for of_step in values for value in of_step]
    for name in execution.rule_set.rules if run.has_concepts else ():
        of_steps = (reasons_at(run, step, name, execution.rule_set) for step in steps_taken)
        columns[f"because_{name}"] = [reasons[i] for reasons in of_steps for i in order]
    sentences = Sentences(run, execution.rule_set)
    of_steps = (_told(sentences, step, len(places)) for step in steps_taken)
    columns["told"] = [said[i] for said in of_steps for i in order]
    return pandas.DataFrame(columns)


def _told(sentences: Sentences, step: int, count: int) -> list[str]:
    """Of each element, what a step says of it."""
    said: list[list[str]] = [[] for _ in range(count)]
    for told in sentences.told(step):
        if told.at is sentences.declaration.location:
            said[told.element].append(told.sentence)
    return ["; ".join(of_one) for of_one in said]
