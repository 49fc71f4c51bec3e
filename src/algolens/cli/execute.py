"""``algolens execute``: run an algorithm on a graph, step by step."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.text import Text

from algolens.algorithms import algorithm as find
from algolens.cli.options import JSON_OPTION, read_options
from algolens.cli.output import print_json, remarks, results
from algolens.execution import Run, Stopped, execute
from algolens.graphs import FAMILIES, Location, load, stream
from algolens.reports import steps


class By(Enum):
    """What carries the algorithm out."""

    ALGORITHM = "algorithm"


def execute_command(
    algorithm: Annotated[str, typer.Argument(help="The algorithm: see `algolens list`.")],
    graph: Annotated[
        str,
        typer.Argument(
            help="A file (edge list .csv or .tsv with `source,target[,weight]`, .graphml, node-link .json), "
            "a NetworkX built-in (`nx:karate_club`), or a family and a size (`grid:50`)."
        ),
    ],
    source: Annotated[str | None, typer.Option(help="The node to start from, where the algorithm has a source.")] = None,
    by: Annotated[By, typer.Option(help="What carries it out.")] = By.ALGORITHM,
    option: Annotated[
        list[str] | None, typer.Option(help="An option of the algorithm, as in `colors=7`. May be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="For what is drawn at random: a family's graph, priorities, weights.")] = 0,
    json: bool = JSON_OPTION,
) -> None:
    """Run an algorithm on a graph, and see every step with its concepts and the rule that fired.

    Examples: `algolens execute bfs nx:petersen --source 3` and `algolens execute kruskal roads.csv --json`
    """
    loaded = load(graph, seed)
    chosen = find(algorithm, **read_options(option or [])).with_room_for(loaded)
    rng = stream(seed, "inputs", algorithm)
    arguments = {} if source is None else {"source": source}
    inputs, notes = chosen.read(loaded, rng, draw_all=graph.partition(":")[0] in FAMILIES, **arguments)
    run = execute(chosen, loaded, inputs)
    for note in notes:
        remarks.print(Text(f"note: {note}", style="dim"))
    if json:
        print_json(_as_json(run, by))
        return
    results.print(
        f"[bold]{chosen.name}[/] on {escape(graph)}: {loaded.num_nodes} nodes, {loaded.num_edges} edges, by {by.value}."
    )
    for part in steps(run):
        results.print(part)


def _as_json(run: Run, by: By) -> dict[str, Any]:
    reasons = {Stopped.BY_RULE: "rule", Stopped.BY_COUNT: "count", Stopped.BY_LIMIT: "limit"}
    return {
        "algorithm": run.algorithm.name,
        "by": by.value,
        "steps": run.num_steps,
        "stopped": reasons[Stopped(int(run.stopped[0]))],
        "outputs": {name: _values(run, name) for name in run.outputs},
        "agrees": True,  # it is the algorithm itself
    }


def _values(run: Run, name: str) -> Any:
    values, graph = run.final(name).tolist(), run.graph
    if run.algorithm.declaration.location is Location.NODE:
        return {graph.name_of(i): value for i, value in enumerate(values)}
    ends = graph.edges.T.tolist()
    return [
        {"source": graph.name_of(u), "target": graph.name_of(v), "value": value}
        for (u, v), value in zip(ends, values, strict=True)
    ]
