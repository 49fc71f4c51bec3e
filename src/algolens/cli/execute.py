"""``algolens execute`` and ``algolens play``: a run, step by step, in a terminal or a browser."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from algolens.cli.arguments import given_arguments, read_setting
from algolens.cli.engines import (
    EngineOption,
    EngineOptionsOption,
    OutOption,
    execute_on_tables,
    refuse_beside_engine,
    run_on_engine,
    what_came,
)
from algolens.cli.options import (
    JSON_OPTION,
    AroundOption,
    DirectedOption,
    FormulasOption,
    HtmlOption,
    OptionsOption,
    StepOption,
    WhyOption,
    complete_graphs,
    complete_runnable,
    limited,
    read_options,
)
from algolens.cli.output import note, print_json, results, say
from algolens.errors import AlgoLensError
from algolens.front import By
from algolens.limits import PLACES, SEED

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
        help="The algorithm: see `algolens list`; a file of yours, `FILE.py` or `FILE.py:CLASS`; "
        "a model's folder, to run its network; or a program in a .json file, as `algolens explain "
        "--save` writes it.",
        autocompletion=complete_runnable,
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A file (edge list .csv, .tsv or .parquet with `source,target[,weight]`, .graphml, "
        "node-link .json), a NetworkX built-in (`nx:karate_club`), or a family and a size "
        "(`grid:50`).",
        autocompletion=complete_graphs,
    ),
]
NodesOption = Annotated[
    Path | None,
    typer.Option(
        help="A .csv, .tsv or .parquet with values of nodes: a header like "
        "`node,wall,priority`, then a line for each node. Columns go by the names of the "
        "algorithm's inputs.",
        show_default=False,
    ),
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        help="The node to start from, if the algorithm has a source. Any other input of the whole "
        "graph is an option by its name, too."
    ),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        help="An input of the whole graph, as in `source=Mill` or `horizon=3`. May be repeated.",
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
    limited(SEED, help="For what is drawn at random: a family's graph, priorities, weights."),
]
RoundOption = Annotated[
    int | None,
    limited(
        PLACES,
        "--round",
        help="Round numbers to this many decimals if they do not fit; a note says what changes.",
        show_default=False,
    ),
]
ByOption = Annotated[
    list[By] | None,
    typer.Option(
        help="What carries it out: the `algorithm` itself; a `network` (the one that ships, or "
        "your model's), an exact one by tables compiled from its layers; or its `rules`, over "
        "the concepts that the network sees. Unless said, an algorithm's name runs by "
        "algorithm, and a model's folder by network. Given more than once, the runs stand side "
        "by side on a page.",
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
        return given_arguments(chosen, source, given or [], context.args)

    def settings(chosen: Algorithm, read: Graph) -> list[Setting]:
        return [read_setting(text, chosen, read) for text in set_by_hand or []]

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


def read_tasks(context: typer.Context, algorithm: str, graph: str, **options: Any) -> list[Task]:
    """The tasks of one or several algorithms on one graph, which is the last word."""
    words = list(context.args)
    more = list(takewhile(lambda word: not word.startswith("-"), words))
    context.args = words[len(more) :]
    given = [algorithm, graph, *more]
    names, last = given[:-1], given[-1]
    if len(names) == 1:
        return [read_task(context, algorithm, last, **options)]
    source = options.pop("source", None)
    has_source = {name: _has_source(name) for name in names}
    tasks = [
        # a source is for those that have one; where none has, the first refuses it
        read_task(
            context,
            name,
            last,
            source=source if has_source[name] or not any(has_source.values()) else None,
            **options,
        )
        for name in names
    ]
    # what is drawn at random is the same for all
    return [tasks[0], *(task.with_inputs_of(tasks[0]) for task in tasks[1:])]


def _has_source(name: str) -> bool:
    """Whether what a user names has a source."""
    from algolens.front.task import find_subject

    algorithm = find_subject(name).algorithm
    return algorithm is None or "source" in algorithm.declaration.inputs


def with_task(
    read: Callable[..., Any] = read_task,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command that takes the options of ``read_task`` before its own, and gets what is read."""

    def taking(command: Callable[..., None]) -> Callable[..., None]:
        shared = inspect.signature(read_task, eval_str=True).parameters
        _, *own = inspect.signature(command, eval_str=True).parameters.values()

        @wraps(command)
        def called(**options: Any) -> None:
            # what an engine reads from files and writes to files is not read as a task
            if options.get("out") is not None and options.get("engine") is not None:
                execute_on_tables(**options)
            else:
                command(read(**{name: options.pop(name) for name in shared}), **options)

        called.__signature__ = inspect.Signature([*shared.values(), *own])  # type: ignore[attr-defined]
        return called

    return taking


@with_task()
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
    out: OutOption = None,
    around: AroundOption = None,
    why: WhyOption = None,
    step: StepOption = None,
    formulas: FormulasOption = False,
    engine: EngineOption = None,
    engine_option: EngineOptionsOption = None,
) -> None:
    """Run an algorithm on a graph, and read what every step does and why.

    Examples: `algolens execute bfs nx:petersen --source 3` and `algolens execute coloring roads.csv
    --by network --json`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.arguments import node_near
    from algolens.front.execution import Execution
    from algolens.front.result_table import check_result_file, result_table, write_result
    from algolens.front.run_json import streamed_run
    from algolens.front.task import verdict
    from algolens.player.page import check_page, player_page, write_page
    from algolens.terminal.outcome import count_in_words
    from algolens.terminal.steps import steps

    if len(task.ways) > 1 and html is None:
        raise AlgoLensError(
            "--by is given more than once: runs stand side by side on a page alone. Give --html "
            "run.html."
        )
    if why is None and (step is not None or formulas):
        what = "--formulas" if step is None else "--step"
        raise AlgoLensError(f"{what} says more of what --why asks about: give --why NODE too.")
    if why is not None:
        if json or html is not None or len(task.ways) > 1:
            raise AlgoLensError("--why says it in sentences, of one run: leave out the others.")
        if engine is not None:
            refuse_beside_engine(engine, {"--why": why})
        (side,), notes = _run(task, trace=True)
        execution = Execution(side, task.given, tuple(notes), task.is_the_algorithm(side.by))
        say(execution.explain(why, -1 if step is None else step, formulas=formulas))
        return
    if around is not None and html is None:
        raise AlgoLensError("--around says what a page shows: give --html run.html too.")
    if html is not None:
        check_page(html)
    if out is not None:
        check_result_file(out)
    is_shown = not json and html is None and out is None
    if engine is not None:
        refuse_beside_engine(engine, {"--trace": trace, "--html": html is not None})
        sides, notes = run_on_engine(task, engine, engine_option)
    else:
        # where no step is shown, and none compared with the algorithm's, none but the last is kept:
        # large graphs fit
        sides, notes = _run(task, trace=trace or is_shown or html is not None)
    if html is not None:
        node = node_near(around, task.given.graph)
        write_page(html, player_page(sides, task.given.title, around=node))
        note(f"{html}: open it in a browser. It needs nothing else.")
    side, graph = sides[0], task.given.graph
    if out is not None:
        table = result_table(side.run, task.given)
        write_result(out, table)
        note(f"{out}: {count_in_words(table.num_rows, 'row')}.")
    if json:
        asked = {"name": task.subject, "graph": task.given.name, "seed": task.seed}
        set_by_hand = [setting.intervention for setting in task.settings]
        print_json(
            streamed_run(side, asked=asked, notes=notes, interventions=set_by_hand, trace=trace)
        )
    elif is_shown:
        nodes, edges = count_in_words(graph.num_nodes, "node"), graph.num_edges
        size = f"{nodes}, {count_in_words(edges, 'edge')}"
        on = "" if engine is None else f" on {engine}"
        heading = f" on {task.given.title}: {size}, by {side.by}{on}."
        results.print(Text.assemble((task.algorithm.title, "bold"), heading), soft_wrap=True)
        shown = (
            steps(side.run, rule_set=side.rule_set, everything=trace)
            if engine is None
            else what_came(side.run)
        )
        for part in shown:
            results.print(part)
        if not task.is_the_algorithm(side.by):
            results.print(Text(verdict(side.run, side.mistake)))


@with_task(read_tasks)
def play_command(tasks: list[Task], html: HtmlOption = None, around: AroundOption = None) -> None:
    """Run an algorithm on a graph, and play the run in a browser, with the reason for each step.

    Several algorithms before the graph stand side by side.

    Examples: `algolens play dijkstra roads.csv --source Mill`, `algolens play prim kruskal boruvka
    roads.csv` and `algolens play coloring roads.csv --by network --by algorithm`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.arguments import node_near
    from algolens.front.executing import open_page
    from algolens.player.page import check_page, player_page

    if html is not None:
        check_page(html)
    sides = [side for task in tasks for side in _run(task, trace=True)[0]]
    given = tasks[0].given
    page = player_page(sides, given.title, around=node_near(around, given.graph))
    name = "-".join(task.algorithm.name for task in tasks)
    place, opened = open_page(page, name, html)
    note(str(place) if opened else f"{place}: no browser was found here; open it in one.")


def _run(task: Task, *, trace: bool) -> tuple[list[Side], list[str]]:
    """Every side of a task; what the user should know of them is told."""
    sides, notes = task.run(trace=trace)
    for text in notes:
        note(f"note: {text}")
    return sides, notes
