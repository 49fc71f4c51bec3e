"""What `algolens execute` and `algolens play` take alike, declared: nothing that is slow to import
is needed for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from algolens.cli import completion
from algolens.cli.options import OptionsOption
from algolens.cli.output import remarks
from algolens.front.by import By

if TYPE_CHECKING:
    from algolens.evaluation import Side
    from algolens.front.task import Task

AlgorithmArgument = Annotated[
    str,
    typer.Argument(
        help="The algorithm: see `algolens list`; the folder of a run of yours, to run its "
        "network; or a program in a .json file, as `algolens explain --save` writes it.",
        autocompletion=completion.complete_runnable,
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A file (edge list .csv or .tsv with `source,target[,weight]`, .graphml, node-link "
        ".json), a NetworkX built-in (`nx:karate_club`), or a family and a size (`grid:50`).",
        autocompletion=completion.complete_graphs,
    ),
]
NodesOption = Annotated[
    Path | None,
    typer.Option(
        help="A .csv or .tsv that says more of the nodes: a header like `node,wall,priority`, "
        "then a line for each node. Columns go by the names of the algorithm's inputs.",
        show_default=False,
    ),
]
DirectedOption = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected",
        help="Edges of an edge list lead from source to target; or forget the directions that a "
        "file says. Unless given, GraphML and JSON say it themselves, an edge list is "
        "undirected, and a family is as the algorithm needs it.",
        show_default=False,
    ),
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        help="The node to start from, where the algorithm has a source. Every other input that the "
        "whole graph has one of can be given so, by its name."
    ),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        help="An input that the whole graph has one of, as in `source=Mill` or `horizon=3`. May "
        "be repeated.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set a concept by hand and see what follows: `has_priority=true@Mill#2` at node Mill "
        "in step 2; without `#2` in every step, without `@Mill` everywhere. May be repeated.",
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(min=0, help="For what is drawn at random: a family's graph, priorities, weights."),
]
ByOption = Annotated[
    list[By] | None,
    typer.Option(
        help="What carries it out: the `algorithm` itself; a `network` (the one that ships, or "
        "your run's), an exact one by tables compiled from its layers; its `layers` "
        "themselves, which takes longer; its `rules`, over the concepts that the network "
        "sees; or `rules-alone`, over the algorithm's own concepts. Unless said, an "
        "algorithm's name runs by algorithm, and a run's folder by network. Given more than "
        "once, the runs stand side by side on a page.",
        show_default=False,
    ),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(
        help="Write a page that plays the run in a browser: one file, which needs nothing else.",
        show_default=False,
    ),
]


@dataclass(frozen=True, eq=False)
class AskedTask:
    """A task as a user typed it."""

    task: Task
    name: str  # of the algorithm, the run or the program
    graph: str
    seed: int

    def run(self, *, trace: bool) -> list[Side]:
        """Every side; what the user should know of it is remarked. trace: keep every step
        anyway.
        """
        sides = self.task.run(trace=trace)
        for note in self.task.remarks(sides):
            remarks.print(Text(f"note: {note}", style="dim"), soft_wrap=True)
        return sides


def asked_task(
    context: typer.Context,
    algorithm: AlgorithmArgument,
    graph: GraphArgument,
    nodes: NodesOption = None,
    directed: DirectedOption = None,
    source: SourceOption = None,
    by: ByOption = None,
    given: GivenOption = None,
    option: OptionsOption = None,
    set_by_hand: SetOption = None,
    seed: SeedOption = 0,
) -> AskedTask:
    """What a command is asked to run, read and checked."""
    # what loads PyTorch is imported once the options are read
    from algolens.cli.task import read_task

    task = read_task(
        algorithm,
        graph,
        nodes=nodes,
        directed=directed,
        source=source,
        by=by or [],
        given=given or [],
        by_name=context.args,
        option=option or [],
        set_by_hand=set_by_hand or [],
        seed=seed,
    )
    return AskedTask(task, algorithm, graph, seed)


def with_task(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes the options of ``asked_task`` before its own; it is called with what
    that gives in their place.
    """
    shared = inspect.signature(asked_task, eval_str=True).parameters
    _, *own = inspect.signature(command, eval_str=True).parameters.values()

    @wraps(command)
    def called(**options: Any) -> None:
        task = asked_task(**{name: options.pop(name) for name in shared})
        command(task, **options)

    called.__signature__ = inspect.Signature([*shared.values(), *own])  # type: ignore[attr-defined]
    return called
