"""``algolens execute --engine``: a run by a database, in memory or on Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType

from algolens.cli.arguments import given_arguments
from algolens.cli.options import read_options
from algolens.cli.output import note, print_json, say
from algolens.errors import AlgoLensError

if TYPE_CHECKING:
    from algolens.engines import Run
    from algolens.engines.sql import Engine, ParquetRun
    from algolens.evaluation.rightness import Side
    from algolens.front.task import Task

SECONDS_BETWEEN_LINES = 2.0  # of progress
EngineOption = Annotated[
    str | None,
    typer.Option(
        help="A database that carries the algorithm out as SQL: `duckdb`, on this machine, or "
        "`spark`, also on a cluster. The last step alone is kept.",
        show_default=False,
    ),
]
EngineOptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--engine-option",
        help="An option of the engine: `max_steps=50`; of duckdb `memory=2GB`, `threads=2`, "
        "`folder=DIR`; of spark `master=spark://host:7077`, `folder=DIR`, `partitions=8`. May be "
        "repeated.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        help="Write what came of it as a table, a row for each node or edge: .csv, .tsv or "
        ".parquet. With --engine, a new folder: edges (and --nodes) are read as Parquet, and "
        "results written so; the graph need not fit into memory.",
        show_default=False,
    ),
]


def refuse_beside_engine(engine: str, given: Mapping[str, object]) -> None:
    """Refuses options that an engine does not have."""
    for option, value in given.items():
        if value:
            raise AlgoLensError(
                f"{option}: engine {engine} keeps the last step alone. Leave it out, or run "
                "without --engine."
            )


def find_named(engine: str, options: list[str] | None) -> Engine:
    """The engine of a user, with its options."""
    from algolens.engines.sql import find_engine

    read = {}
    for text in options or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise AlgoLensError(
                f"--engine-option '{text}' should be a name and a value, as in memory=2GB."
            )
        read[name] = value
    return find_engine(engine, read)


def run_on_engine(
    task: Task, engine: str, options: list[str] | None
) -> tuple[list[Side], list[str]]:
    """The side of a task by a database; what the user should know is told."""
    from algolens.engines.program import Program
    from algolens.engines.sql import on_steps
    from algolens.front.on_engines import run_by_engine

    unsuited = on_steps(Program.of(task.algorithm))
    for text in filter(None, [unsuited]):
        note(f"note: {text}")
    side, notes = run_by_engine(task, find_named(engine, options), progress())
    for text in notes:
        note(f"note: {text}")
    return [side], [*filter(None, [unsuited]), *notes]


def what_came(run: Run) -> Iterator[RenderableType]:
    """What came of a run of which the last step alone is kept."""
    from algolens.terminal.outcome import count_in_words, outcome_summary

    yield from outcome_summary(run)
    cut = "Cut short" if bool(run.is_cut_short[0]) else "Finished"
    yield f"{cut} after {count_in_words(run.num_steps, 'step')}."


def progress() -> Callable[[int, float], None]:
    """Tells of steps, not more often than every few seconds."""
    last = monotonic()

    def tell(step: int, seconds: float) -> None:
        nonlocal last
        if monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = monotonic()
            note(f"step {step}: {seconds:.1f} s")

    return tell


def execute_on_tables(
    *,
    context: typer.Context,
    algorithm: str,
    graph: str,
    nodes: Path | None,
    directed: bool | None,
    source: str | None,
    by: Any,
    given: list[str] | None,
    option: list[str] | None,
    set_by_hand: list[str] | None,
    places: int | None,
    seed: int,
    trace: bool,
    json: bool,
    html: Path | None,
    around: str | None,
    why: str | None,
    step: int | None,
    formulas: bool,
    engine: str,
    engine_option: list[str] | None,
    out: Path,
) -> None:
    """``execute --engine ... --out``: Parquet in, Parquet out."""
    import algolens as al
    from algolens.front import By
    from algolens.front.task import find_subject, find_way

    unknown = {"--trace": trace, "--html": html, "--set": set_by_hand, "--by": by}
    unknown |= {"--around": around, "--why": why, "--step": step, "--formulas": formulas}
    refuse_beside_engine(engine, {**unknown, "--round": places})
    subject = find_subject(algorithm)
    way = find_way(subject, By.ALGORITHM, read_options(option))
    inputs = given_arguments(way.algorithm, source, given or [], context.args)
    run = al.execute_parquet(
        algorithm,
        graph,
        out,
        engine=find_named(engine, engine_option),
        nodes=nodes,
        directed=directed,
        options=read_options(option),
        seed=seed,
        tell=progress(),
        **inputs,
    )
    for text in run.notes:
        note(f"note: {text}")
    _print(way.algorithm.name, graph, engine, run, json=json)


def _print(name: str, graph: str, engine: str, run: ParquetRun, *, json: bool) -> None:
    if json:
        print_json(
            {"algorithm": name, "asked": {"graph": graph}, "engine": engine, **run.to_json()}
        )
        return
    cut = "cut short after" if run.is_cut_short else "finished after"
    say(
        f"{name} on {graph}: {run.num_nodes:,} nodes, {run.num_edges:,} edges, by {engine}; {cut} "
        f"{run.steps:,} steps."
    )
    for outcome, value in run.outcomes.items():
        say(f"{outcome}: {'yes' if value else 'no'}")
    say(f"Results: {run.out}")
