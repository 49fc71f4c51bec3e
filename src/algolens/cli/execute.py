"""``algolens execute`` and ``algolens play``: a run, step by step, in a terminal or a browser."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from algolens.cli.options import (
    JSON_OPTION,
    AroundOption,
    DirectedOption,
    HtmlOption,
    OptionsOption,
    StepOption,
    WhyOption,
    complete_graphs,
    complete_runnable,
    read_options,
)
from algolens.cli.output import note, print_json, results, say
from algolens.errors import AlgoLensError
from algolens.front import By

if TYPE_CHECKING:
    from algolens.algorithms import Algorithm
    from algolens.evaluation.rightness import Side
    from algolens.front.arguments import Setting
    from algolens.front.task import Task
    from algolens.graphs import Graph
else:
    Task = Any  # signatures are evaluated, and the class is slow to import

AlgorithmArgument = Annotated[
    str,
    typer.Argument(
        help="The algorithm: see `algolens list`; a model's folder, to run its "
        "network; or a program in a .json file, as `algolens explain --save` writes it.",
        autocompletion=complete_runnable,
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A file (edge list .csv or .tsv with `source,target[,weight]`, .graphml, node-link "
        ".json), a NetworkX built-in (`nx:karate_club`), or a family and a size (`grid:50`).",
        autocompletion=complete_graphs,
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
RoundOption = Annotated[
    int | None,
    typer.Option(
        "--round",
        help="Round numbers to so many decimals, where they do not fit otherwise; a note says what "
        "that changes.",
        show_default=False,
    ),
]
ByOption = Annotated[
    list[By] | None,
    typer.Option(
        help="What carries it out: the `algorithm` itself; a `network` (the one that ships, or "
        "your model's), an exact one by tables compiled from its layers; its `layers` "
        "themselves, which takes longer; its `rules`, over the concepts that the network "
        "sees; or `rules-alone`, over the algorithm's own concepts. Unless said, an "
        "algorithm's name runs by algorithm, and a model's folder by network. Given more than "
        "once, the runs stand side by side on a page.",
        show_default=False,
    ),
]


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
    places: RoundOption = None,
    seed: SeedOption = 0,
) -> Task:
    """What a command is asked to run, read and checked."""
    # what loads PyTorch is imported once the options are read
    from algolens.front.arguments import read_places
    from algolens.front.task import find_subject, make_task

    def arguments(chosen: Algorithm) -> dict[str, str]:
        return _arguments(chosen, source, [*(given or []), *_by_name(context.args, chosen)])

    def settings(chosen: Algorithm, read: Graph) -> list[Setting]:
        return [_setting(text, chosen, read) for text in set_by_hand or []]

    return make_task(
        find_subject(algorithm),
        graph,
        by=by or [],
        options=read_options(option),
        nodes=nodes,
        directed=directed,
        seed=seed,
        places=read_places(places),
        arguments=arguments,
        settings=settings,
    )


def with_task(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes the options of ``read_task`` before its own, and gets the task."""
    shared = inspect.signature(read_task, eval_str=True).parameters
    _, *own = inspect.signature(command, eval_str=True).parameters.values()

    @wraps(command)
    def called(**options: Any) -> None:
        command(read_task(**{name: options.pop(name) for name in shared}), **options)

    called.__signature__ = inspect.Signature([*shared.values(), *own])  # type: ignore[attr-defined]
    return called


@with_task
def execute_command(
    task: Task,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            help="Every node (or edge) in every step; with --json, under the key `trace`.",
        ),
    ] = False,
    json: bool = JSON_OPTION,
    html: HtmlOption = None,
    around: AroundOption = None,
    why: WhyOption = None,
    step: StepOption = None,
) -> None:
    """Run an algorithm on a graph, and see every step with its concepts and the rule that fired.

    Examples: `algolens execute bfs nx:petersen --source 3` and `algolens execute coloring roads.csv
    --by network --json`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.arguments import node_near
    from algolens.front.execution import Execution
    from algolens.front.run_json import run_as_json, trace_as_json
    from algolens.front.task import verdict
    from algolens.player.page import check_page, player_page, write_page
    from algolens.terminal.outcome import count_in_words
    from algolens.terminal.steps import steps

    if len(task.ways) > 1 and html is None:
        raise AlgoLensError(
            "--by is given more than once: runs stand side by side on a page alone. Give --html "
            "run.html."
        )
    if why is None and step is not None:
        raise AlgoLensError("--step says which step --why asks about: give --why NODE too.")
    if why is not None:
        if json or html is not None or len(task.ways) > 1:
            raise AlgoLensError("--why says it in sentences, of one run: leave out the others.")
        (side,), notes = _run(task, trace=True)
        execution = Execution(side, task.given, tuple(notes), task.is_the_algorithm(side.by))
        say(execution.explain(why, -1 if step is None else step))
        return
    if around is not None and html is None:
        raise AlgoLensError("--around says what a page shows: give --html run.html too.")
    if html is not None:
        check_page(html)
    # where no step is shown, and none compared with the algorithm's, none but the last is kept:
    # large graphs fit
    sides, notes = _run(task, trace=trace or not json or html is not None)
    if html is not None:
        node = node_near(around, task.given.graph)
        write_page(html, player_page(sides, task.given.name, around=node))
        note(f"{html}: open it in a browser. It needs nothing else.")
    side, graph = sides[0], task.given.graph
    if json:
        asked = {"name": task.subject, "graph": task.given.name, "seed": task.seed}
        set_by_hand = [setting.intervention for setting in task.settings]
        document = run_as_json(side, asked=asked, notes=notes, interventions=set_by_hand)
        print_json(document, **{"trace": trace_as_json(side)} if trace else {})
    elif html is None:
        nodes, edges = count_in_words(graph.num_nodes, "node"), graph.num_edges
        size = f"{nodes}, {count_in_words(edges, 'edge')}"
        heading = f" on {task.given.name}: {size}, by {side.by}."
        results.print(Text.assemble((task.algorithm.name, "bold"), heading), soft_wrap=True)
        for part in steps(side.run, rule_set=side.rule_set, everything=trace):
            results.print(part)
        if not task.is_the_algorithm(side.by):
            results.print(Text(verdict(side.run, side.mistake)))


@with_task
def play_command(task: Task, html: HtmlOption = None, around: AroundOption = None) -> None:
    """Run an algorithm on a graph, and play the run in a browser, with the reason for each step.

    Examples: `algolens play dijkstra roads.csv --source Mill` and
    `algolens play coloring roads.csv --by network --by algorithm`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.arguments import node_near
    from algolens.front.executing import open_page
    from algolens.player.page import check_page, player_page

    if html is not None:
        check_page(html)
    sides, _ = _run(task, trace=True)
    page = player_page(sides, task.given.name, around=node_near(around, task.given.graph))
    place, opened = open_page(page, task.algorithm.name, html)
    note(str(place) if opened else f"{place}: no browser was found here; open it in one.")


def _run(task: Task, *, trace: bool) -> tuple[list[Side], list[str]]:
    """Every side of a task; what the user should know of them is told."""
    sides, notes = task.run(trace=trace)
    for text in notes:
        note(f"note: {text}")
    return sides, notes


def _by_name(words: list[str], algorithm: Algorithm) -> list[str]:
    """Options that are called as inputs are (``--target Mill``), as ``--input`` takes them."""
    arguments, left = [], list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if not name.startswith("--"):
            raise AlgoLensError(
                f"'{name}' is one argument too many: give an algorithm and a graph."
            )
        name = name.removeprefix("--").replace("-", "_")
        known = algorithm.declaration.inputs
        if name not in known:
            has = ", ".join(f"--{known_name}" for known_name in known) or "none"
            raise AlgoLensError(
                f"there is no option --{name}, and {algorithm.name} has no such input (it has "
                f"{has}): see `algolens execute --help`."
            )
        if not equals and not left:
            raise AlgoLensError(f"--{name} needs a value, as in --{name} Mill.")
        arguments.append(f"{name}={value if equals else left.pop(0)}")
    return arguments


def _arguments(algorithm: Algorithm, source: str | None, given: list[str]) -> dict[str, str]:
    """Inputs that the command itself gives, by name."""
    if source is not None and "source" not in algorithm.declaration.inputs:
        from algolens.algorithms import algorithms

        having = [
            name for name, cls in algorithms().items() if "source" in cls().declaration.inputs
        ]
        raise AlgoLensError(
            f"--source: {algorithm.name} has no source, it is an input of {', '.join(having)}. "
            "Leave it out."
        )
    arguments = {} if source is None else {"source": source}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise AlgoLensError(
                f"--input '{text}' should be a name and a value, as in source=Mill."
            )
        if name in arguments:
            raise AlgoLensError(f"--input {name}: it is given twice. Keep one of them.")
        arguments[name] = value
    return arguments


def _setting(text: str, algorithm: Algorithm, graph: Graph) -> Setting:
    """A concept set by hand, as ``has_priority=true@Mill#2`` says it."""
    from algolens.front.arguments import WHERE_AND_WHEN, set_concept

    form = rf"(?P<concept>\w+)=(?P<value>true|false){WHERE_AND_WHEN}"
    words = re.fullmatch(form, text, re.IGNORECASE)
    if words is None:
        raise AlgoLensError(
            f"--set '{text}' should be a concept and its value, then where and when if not "
            "everywhere: has_priority=true, has_priority=true@Mill or has_priority=true@Mill#2 "
            "(at the second step)."
        )
    value, place = words["value"].lower() == "true", (words["element"], words["step"])
    return set_concept(f"--set '{text}'", words["concept"], value, *place, algorithm, graph)
