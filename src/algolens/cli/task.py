"""What `algolens execute` and `algolens play` are asked to run, as a user types it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.text import Text

from algolens.algorithms import Algorithm, algorithms
from algolens.cli.interventions import read_interventions
from algolens.cli.options import OptionsOption, read_options
from algolens.cli.output import remarks
from algolens.errors import AlgoLensError
from algolens.front.task import By, Task, find_subject, make_task
from algolens.reports.player import Side

AlgorithmArgument = Annotated[
    str,
    typer.Argument(
        help="The algorithm: see `algolens list`; the folder of a run of yours, to run its network; or a program in a "
        ".json file, as `algolens explain --save` writes it."
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A file (edge list .csv or .tsv with `source,target[,weight]`, .graphml, node-link .json), "
        "a NetworkX built-in (`nx:karate_club`), or a family and a size (`grid:50`)."
    ),
]
NodesOption = Annotated[
    Path | None,
    typer.Option(
        help="A .csv or .tsv that says more of the nodes: a header like `node,wall,priority`, then a line for each node. "
        "Columns go by the names of the algorithm's inputs.",
        show_default=False,
    ),
]
DirectedOption = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected",
        help="Edges of an edge list lead from source to target; or forget the directions that a file says. Unless given, "
        "GraphML and JSON say it themselves, an edge list is undirected, and a family is as the algorithm needs it.",
        show_default=False,
    ),
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        help="The node to start from, where the algorithm has a source. Every other input that the whole graph has one of "
        "can be given so, by its name."
    ),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input", help="An input that the whole graph has one of, as in `source=Mill` or `horizon=3`. May be repeated."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set a concept by hand and see what follows: `has_priority=true@Mill#2` at node Mill in step 2; without "
        "`#2` in every step, without `@Mill` everywhere. May be repeated.",
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="For what is drawn at random: a family's graph, priorities, weights.")]
ByOption = Annotated[
    list[By] | None,
    typer.Option(
        help="What carries it out: the `algorithm` itself; a `network` (the one that ships, or your run's); its `rules`, "
        "over the concepts that the network sees; or `rules-alone`, over the algorithm's own concepts. "
        "Unless said, an algorithm's name runs by algorithm, and a run's folder by network. Given more than once, the runs "
        "stand side by side on a page.",
        show_default=False,
    ),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(help="Write a page that plays the run in a browser: one file, which needs nothing else.", show_default=False),
]


@dataclass(frozen=True, eq=False)
class Asked:
    """A task as a user typed it."""

    task: Task
    graph: str  # what the user calls the graph

    def run(self, *, trace: bool) -> list[Side]:
        """Every side; what the user should know of it is remarked."""
        sides = self.task.run(trace=trace)
        for note in self.task.remarks(sides):
            remarks.print(Text(f"note: {note}", style="dim"), soft_wrap=True)
        return sides


def read_task(
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
) -> Asked:
    """What a command is asked to run, read and checked."""

    def arguments(chosen: Algorithm) -> dict[str, str]:
        return _arguments(chosen, source, [*(given or []), *_options_by_name(context.args, chosen)])

    task = make_task(
        find_subject(algorithm),
        graph,
        by=by or (),
        options=read_options(option or []),
        nodes=nodes,
        directed=directed,
        seed=seed,
        arguments=arguments,
        settings=partial(read_interventions, set_by_hand or []),
    )
    return Asked(task, graph)


def with_task(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes the options of ``read_task`` before its own; it is called with what that gives in their place."""
    shared, own = _parameters(read_task), _parameters(command)[1:]

    @wraps(command)
    def called(**options: Any) -> None:
        asked = read_task(**{each.name: options.pop(each.name) for each in shared})
        command(asked, **options)

    parameters = [*shared, *own]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def _parameters(function: Callable[..., Any]) -> Sequence[inspect.Parameter]:
    """The parameters of a function, their types as they are and not as text."""
    types = get_type_hints(function, include_extras=True)
    return [each.replace(annotation=types[each.name]) for each in inspect.signature(function).parameters.values()]


def _options_by_name(words: list[str], algorithm: Algorithm) -> list[str]:
    """Options that are called as inputs are (``--target Mill``), as ``--input`` takes them (``target=Mill``)."""
    found, left = [], list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if not name.startswith("--"):
            raise AlgoLensError(f"'{name}' is one argument too many: give an algorithm and a graph.")
        name = name.removeprefix("--").replace("-", "_")
        if name not in algorithm.declaration.inputs:
            has = ", ".join(f"--{each}" for each in algorithm.declaration.inputs) or "none"
            raise AlgoLensError(
                f"there is no option --{name}, and {algorithm.name} has no such input (it has {has}): see "
                "`algolens execute --help`."
            )
        if not equals and not left:
            raise AlgoLensError(f"--{name} needs a value, as in --{name} Mill.")
        found.append(f"{name}={value if equals else left.pop(0)}")
    return found


def _arguments(algorithm: Algorithm, source: str | None, given: list[str]) -> dict[str, str]:
    """Inputs that the command itself gives, by name."""
    if source is not None and "source" not in algorithm.declaration.inputs:
        raise AlgoLensError(_no_source(algorithm))
    arguments = {} if source is None else {"source": source}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals:
            raise AlgoLensError(f"--input '{each}' should be a name and a value, as in source=Mill.")
        if name in arguments:
            raise AlgoLensError(f"--input {name}: it is given twice. Keep one of them.")
        arguments[name] = value
    return arguments


def _no_source(algorithm: Algorithm) -> str:
    having = [name for name, other in algorithms().items() if "source" in other().declaration.inputs]
    owner = f"it is an input of {', '.join(having)}" if having else "no algorithm has one"
    return f"--source: {algorithm.name} has no source, {owner}. Leave it out."
