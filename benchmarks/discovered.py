"""Which algorithms that ship are discovered from runs alone, their fields under other names.

python -m benchmarks.discovered bfs k_core
python -m benchmarks.discovered --runs 50,5,1 --seconds 60 --seed 7 --jobs 16 --minutes 9 \\
    --keep rows.jsonl --markdown results/pages/discovered.md

An algorithm is a black box here: neither its look nor its rules are read, and its fields are called
f1, f2, ... in an order drawn at random, so that no name tells anything. What is found is then run
beside it on fresh random graphs of up to 24 nodes, which the search never saw, and compared with
what we declared, by Z3. Rows that a file keeps are not measured again: after --minutes it
ends with the rows that there are, and the same command goes on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Annotated, Any, TypeVar

import numpy as np
import typer
from rich.console import Console
from torch import Tensor

from algolens.algorithms import algorithm, algorithms
from algolens.discovery import AlgorithmOracle, Episodes, Limits, discover
from algolens.discovery.differences import first_difference
from algolens.discovery.oracle import Oracle, StepAnswer
from algolens.discovery.sampling import random_runs
from algolens.disk import write_file
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.graphs import Graph, stream
from algolens.proofs.equality.proof import prove_equal
from algolens.proofs.equality.renaming import renamed
from benchmarks.kept_rows import Row, kept_rows
from benchmarks.pages import command, line, made_with, table

Value = TypeVar("Value")
HEADER = (
    "algorithm",
    "runs given",
    "found",
    "observations",
    "declared",
    "runs needed",
    "tried",
    "CPU s",
    "invariant",
    "proof, CPU s",
    "remark",
)
WIDTHS = (22, 11, 21, 13, 9, 12, 11, 7, 10, 13, 60)
FRESH, SIZES = 50, (2, 24)
EQUAL, PROVEN, TRIED = "equal", "smaller and proven", "equal as far as tried"
WRONG, NOT_FOUND = "wrong", "not found"
# those that shipped before the tasks of CLRS-30
FIRST = [
    "activity_selection",
    "articulation_points",
    "bellman_ford",
    "bfs",
    "bfs_tree",
    "bipartite",
    "boruvka",
    "bridges",
    "coloring",
    "components",
    "dfs",
    "dfs_topological_sort",
    "dijkstra",
    "independent_set",
    "k_core",
    "kruskal",
    "matching",
    "minimum",
    "order_statistic",
    "prim",
    "selection_sort",
    "strong_components",
    "topological_sort",
    "widest_path",
]
PAGE = """# Algorithms discovered from runs

Each algorithm was a black box: `discover` saw its fields and runs of it, no concept and no \
rule, and all names were replaced by `f1`, `f2`, ... It began with so many random runs (*runs \
given*) and could ask for more, with {seconds} CPU seconds at most \
([how it is found](../../docs/discover.md#how-it-is-found)). *Found* is one of

- *equal*: it takes the same steps as the algorithm that we declared, in every state of every \
graph. This is proven, by Z3;
- *smaller and proven*: it does so in every state that can be reached, by an invariant that holds \
at the start and that every step keeps. This is proven too;
- *equal as far as tried*: no difference on all small graphs that were tried, nor on {fresh} fresh \
random runs of up to {size} nodes. This is measured, not proven;
- *wrong*: it errs on a fresh run; *not found*: a decision was not settled, or what was found is \
known to err and says so.

*Observations* are those of the discovered look, *declared* those of ours. *Runs needed* are those \
that it was settled on in the end; *tried* are statements whose behaviour was computed. \
*Invariant* is how many clauses the proof rests on \
([what is proven](../../docs/discover.md#what-is-proven)).

{summary}

```sh
{command}
```

{made_with}.

{table}
"""


class ShuffledOracle(Oracle):
    """A oracle whose fields have other names."""

    def __init__(self, oracle: Oracle, rng: np.random.Generator) -> None:
        self.oracle, schema, self.can_step = oracle, oracle.schema, oracle.can_step
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
            endless={self.names[a]: self.names[b] for a, b in schema.endless.items()},
        )

    def _called(self, values: Mapping[str, Value]) -> dict[str, Value]:
        return {self.names[name]: value for name, value in values.items()}

    @property
    def own_names(self) -> dict[str, str]:
        """What its fields were called before."""
        return {other: name for name, other in self.names.items()}

    def run(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Episodes:
        given = {name: inputs[self.names[name]] for name in self.oracle.schema.inputs}
        made = self.oracle.run(graph, given)
        return replace(
            made,
            inputs=self._called(made.inputs),
            frames=[self._called(frame) for frame in made.frames],
            outcomes=self._called(made.outcomes),
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return self._called(self.oracle.sample(graph, rng))

    def begin(self, graph: Graph, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        given = {name: inputs[self.names[name]] for name in self.oracle.schema.inputs}
        return self._called(self.oracle.begin(graph, given))

    def step(
        self, graph: Graph, inputs: Mapping[str, Tensor], state: Mapping[str, Tensor]
    ) -> StepAnswer:
        schema = self.oracle.schema
        answer = self.oracle.step(
            graph,
            {name: inputs[self.names[name]] for name in schema.inputs},
            {name: state[self.names[name]] for name in schema.state},
        )
        frame, outcomes = self._called(answer.frame), self._called(answer.outcomes)
        return replace(answer, frame=frame, outcomes=outcomes)

    def most_steps(self, graph: Graph) -> Tensor:
        return self.oracle.most_steps(graph)


def measure(name: str, runs: int, seconds: float, seed: int = 0) -> Row:
    """The row of one algorithm."""
    ours = algorithm(name)
    oracle = ShuffledOracle(AlgorithmOracle(ours), stream(seed, "names", name))
    row = {
        "algorithm": name,
        "given": runs,
        "found": NOT_FOUND,
        "observations": None,
        "declared": len(ours.declaration.statements),
        "runs": None,
        "tried": None,
        "invariant": None,
        "proof_seconds": None,
        "remark": "",
    }
    began = time.process_time()
    try:
        made = discover(oracle, limits=Limits(runs, seconds, seed), exceptions=False)
    except Exception as problem:  # one that fails must not end the table
        failed = "" if isinstance(problem, AlgoLensError) else f"{type(problem).__name__}: "
        spent = time.process_time() - began
        return {**row, "seconds": spent, "remark": f"{failed}{problem}"}
    row |= {
        "observations": len(made.declaration.statements),
        "runs": made.known.runs.runs,
        "tried": made.tried,
        "seconds": made.seconds,
    }
    if made.known.error is not None:
        # it is handed back as a part of an algorithm, which errs and says so
        return {**row, "found": NOT_FOUND, "remark": "what was found errs, and says so"}
    wrong = sum(
        int((first_difference(oracle.schema, some, Episodes.of(run)) >= 0).sum())
        for some in random_runs(oracle, FRESH, SIZES, stream(seed, "fresh", name))
        for run in [run_algorithm(made.algorithm(), some.graph, some.inputs, check=False)]
    )
    proof = prove_equal(renamed(made.declaration, oracle.own_names).program, ours)
    row |= {"invariant": len(proof.invariant), "proof_seconds": proof.seconds}
    if wrong:
        remark = f"errs on {wrong} of {FRESH} fresh runs"
        return {**row, "found": WRONG, "remark": remark + (", PROVEN" if proof.proven else "")}
    if not proof.proven:
        return {**row, "found": TRIED, "remark": proof.unproven}
    return {**row, "found": PROVEN if proof.invariant else EQUAL}


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A row of the table."""
    return (
        row["algorithm"],
        str(row["given"]),
        row["found"],
        "-" if row["observations"] is None else str(row["observations"]),
        str(row["declared"]),
        "-" if row["runs"] is None else str(row["runs"]),
        "-" if row["tried"] is None else f"{row['tried']:,}",
        f"{row['seconds']:.1f}",
        str(row["invariant"]) if row["found"] in (EQUAL, PROVEN) else "-",
        "-" if row["proof_seconds"] is None else f"{row['proof_seconds']:.1f}",
        row["remark"] or "",
    )


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many were found, for each number of runs."""
    lines = []
    for given in sorted({row["given"] for row in rows}, reverse=True):
        for names, words in ((FIRST, "the first 24 algorithms"), (None, "all")):
            some = [
                row
                for row in rows
                if row["given"] == given and (names is None or row["algorithm"] in names)
            ]
            if not some:
                continue
            kinds = (EQUAL, PROVEN, TRIED, WRONG, NOT_FOUND)
            counts = ", ".join(
                f"{sum(row['found'] == kind for row in some)} {kind}" for kind in kinds
            )
            middle = median(row["seconds"] for row in some)
            lines.append(
                f"- From {given} run{'s' if given > 1 else ''}, {len(some)} of {words} tried: "
                f"{counts}; median {middle:.1f} CPU s."
            )
        there = {row["algorithm"] for row in rows if row["given"] == given}
        if missing := [name for name in FIRST if name not in there]:
            lines.append(f"- Of the first 24, without a row here: {', '.join(missing)}.")
    return "\n".join(lines)


def main(
    console: Console,
    names: Sequence[str],
    *,
    runs: Sequence[int] = (50,),
    seconds: float = 120.0,
    seed: int = 0,
    jobs: int = 1,
    minutes: float | None = None,
    keep: Path | None = None,
    markdown: Path | None = None,
) -> None:
    """Prints a line for each algorithm, and writes the page where one is asked for."""
    wanted = [(name, count, seconds, seed) for count in runs for name in names or algorithms()]
    console.print(line(HEADER, WIDTHS), highlight=False)
    rows = []
    for _, row in kept_rows(wanted, measure, jobs=jobs, keep=keep, minutes=minutes):
        rows.append(row)
        console.print(line(cells(row), WIDTHS), highlight=False)
    rows.sort(key=lambda row: (row["algorithm"], row["given"]))
    console.print(summary(rows), highlight=False)
    if len(rows) < len(wanted):
        console.print(f"{len(wanted) - len(rows)} rows are left: the same command goes on.")
    if markdown is not None:
        page = PAGE.format(
            seconds=f"{seconds:g}",
            fresh=FRESH,
            size=SIZES[1],
            summary=summary(rows),
            command=command("discovered"),
            made_with=made_with(),
            table=table(HEADER, [cells(row) for row in rows]),
        )
        write_file(markdown, page)


def _command(
    names: Annotated[list[str] | None, typer.Argument(help="Algorithms; by default all.")] = None,
    runs: Annotated[str, typer.Option(help="That the search begins with, as in 1,5,50.")] = "50",
    seconds: Annotated[float, typer.Option(help="Of computing, for each algorithm.")] = 120.0,
    seed: Annotated[int, typer.Option(min=0, help="Of graphs, inputs and names.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Algorithms at once.")] = 1,
    minutes: Annotated[
        float | None, typer.Option(help="By the clock, after which it ends with what there is.")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="The file that rows are kept in.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="The page to write.")] = None,
) -> None:
    main(
        Console(width=200),
        names or (),
        runs=[int(count) for count in runs.split(",")],
        seconds=seconds,
        seed=seed,
        jobs=jobs,
        minutes=minutes,
        keep=keep,
        markdown=markdown,
    )


if __name__ == "__main__":
    typer.run(_command)
