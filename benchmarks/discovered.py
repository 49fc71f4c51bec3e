"""Which algorithms that ship are discovered from runs alone, their fields under other names.

python -m benchmarks.discovered bfs k_core
python -m benchmarks.discovered --seconds 60 --markdown docs/discovered.md

An algorithm is a black box here: neither its look nor its rules are read, and its fields are called
f1, f2, ... in an order drawn at random, so that no name tells anything. What is found is then run
beside it on fresh random graphs of up to 24 nodes, which the search never saw.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
import torch
import typer
from rich.console import Console
from torch import Tensor

from algolens.algorithms import algorithm, algorithms
from algolens.discovery import AlgorithmTeacher, Episodes, RunTeacher, discover_from
from algolens.discovery.checks import random_runs, steps_differ
from algolens.disk import write_file
from algolens.errors import AlgoLensError
from algolens.execution import run_algorithm
from algolens.graphs import Graph, stream
from benchmarks.pages import command, line, made_with, table

Value = TypeVar("Value")
HEADER = ("algorithm", "found", "observations", "declared", "runs", "tried", "CPU s", "remark")
WIDTHS = (22, 8, 13, 9, 5, 10, 7, 40)
FRESH, SIZES = 50, (2, 24)
PAGE = """# Algorithms discovered from runs

Each algorithm was a black box: `discover` saw its fields and runs of it, no concept and no \
rule, and all names were replaced by `f1`, `f2`, ... It began with {runs} random runs and \
could ask for more, with {seconds} CPU seconds at most \
([how it is found](discover.md#how-it-is-found)).

- *found*: the discovered algorithm takes the same steps, gives the same outputs and stops alike \
on all small graphs that were tried, and on {fresh} fresh \
random runs of up to {size} nodes. This is measured, not proven;
- *observations*: those of the discovered look; *declared*: those of ours;
- *runs*: that it was settled on in the end; *tried*: statements whose behaviour was computed.

```sh
{command}
```

{made_with}.

{table}
"""


class ShuffledTeacher(RunTeacher):
    """A teacher whose fields have other names."""

    def __init__(self, teacher: RunTeacher, rng: np.random.Generator) -> None:
        self.teacher, schema = teacher, teacher.schema
        names = list(dict.fromkeys((*schema.inputs, *schema.decided, *schema.outcomes)))
        order = rng.permutation(len(names))
        self.names = {name: f"f{order[place] + 1}" for place, name in enumerate(names)}
        self.schema = replace(
            schema,
            name="black_box",
            inputs=self._called(schema.inputs),
            state=self._called(schema.state),
            outputs=self._called(schema.outputs),
            outcomes=tuple(self.names[name] for name in schema.outcomes),
            only_where={self.names[a]: self.names[b] for a, b in schema.only_where.items()},
        )

    def _called(self, values: Mapping[str, Value]) -> dict[str, Value]:
        return {self.names[name]: value for name, value in values.items()}

    def run(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Episodes:
        given = {name: inputs[self.names[name]] for name in self.teacher.schema.inputs}
        made = self.teacher.run(graph, given)
        return replace(
            made,
            inputs=self._called(made.inputs),
            frames=[self._called(frame) for frame in made.frames],
            outcomes=self._called(made.outcomes),
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return self._called(self.teacher.sample(graph, rng))


def measure(name: str, runs: int, seconds: float, seed: int = 0) -> tuple[str, ...]:
    """The row of one algorithm."""
    ours = algorithm(name)
    teacher = ShuffledTeacher(AlgorithmTeacher(ours), stream(seed, "names", name))
    declared = str(len(ours.declaration.look))
    began = time.process_time()
    try:
        made = discover_from(teacher, runs=runs, seconds=seconds, seed=seed)
    except AlgoLensError as problem:
        spent = f"{time.process_time() - began:.1f}"
        return (name, "no", "-", declared, "-", "-", spent, str(problem))
    wrong = sum(
        int(steps_differ(teacher.schema, some, Episodes.of(run)).sum())
        for some in random_runs(teacher, FRESH, SIZES, stream(seed, "fresh", name))
        for run in [run_algorithm(made.algorithm(), some.graph, some.inputs, check=False)]
    )
    remark = made.known.error and "errs on a small graph"
    if wrong:
        remark = f"errs on {wrong} of {FRESH} fresh runs"
    return (
        name,
        "no" if remark else "yes",
        str(len(made.declaration.look)),
        declared,
        str(made.known.runs),
        f"{made.tried:,}",
        f"{made.seconds:.1f}",
        remark or "",
    )


def main(
    console: Console,
    names: Sequence[str],
    *,
    runs: int = 12,
    seconds: float = 120.0,
    markdown: Path | None = None,
) -> None:
    """Prints a line for each algorithm, and writes the page where one is asked for."""
    torch.set_num_threads(1)
    console.print(line(HEADER, WIDTHS), highlight=False)
    rows = []
    for name in names or algorithms():
        rows.append(measure(name, runs, seconds))
        console.print(line(rows[-1], WIDTHS), highlight=False)
        if markdown is not None:
            page = PAGE.format(
                runs=runs,
                seconds=f"{seconds:g}",
                fresh=FRESH,
                size=SIZES[1],
                command=command("discovered"),
                made_with=made_with(),
                table=table(HEADER, rows),
            )
            write_file(markdown, page)


def _command(
    names: Annotated[list[str] | None, typer.Argument(help="Algorithms; by default all.")] = None,
    runs: Annotated[int, typer.Option(help="That the search begins with.")] = 12,
    seconds: Annotated[float, typer.Option(help="Of computing, for each algorithm.")] = 120.0,
    markdown: Annotated[Path | None, typer.Option(help="The page to write.")] = None,
) -> None:
    main(Console(width=140), names or (), runs=runs, seconds=seconds, markdown=markdown)


if __name__ == "__main__":
    typer.run(_command)
