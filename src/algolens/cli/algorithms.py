"""The commands about algorithms: listed, begun, looked over, compared, run and played."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

import algolens as al
from algolens.cli.options import (
    JSON_OPTION,
    DirectedOption,
    FamilyOption,
    OptionsOption,
    argument,
    complete_algorithms,
    complete_checkable,
    complete_graphs,
    complete_runnable,
    limited,
    load_noted,
    option,
    read_options,
    read_pairs,
    taking,
)
from algolens.cli.output import note, print_json, print_parts, print_result, results, say
from algolens.errors import AlgoLensError, DefinitionError
from algolens.front import By
from algolens.limits import PLACES, SECONDS, SEED, STEP
from algolens.protocol import SEEDS

if TYPE_CHECKING:
    from rich.table import Table

    from algolens.algorithms import Algorithm
    from algolens.engines.sql import Engine
    from algolens.front.execution import Execution

GROUPS = {
    "searches": "Searches: what can be reached, and how",
    "paths": "Paths: shortest and widest",
    "trees": "Trees: the lightest that join all",
    "parts": "Parts of a graph: what hangs together, and by what",
    "choices": "Choices: colors, sides, sets and pairs",
    "orders": "Orders: before and after, least and next",
    "strings": "Strings: where a pattern stands in a text, and what two words share",
    "tables": "Tables: the best of all ways to split",
    "geometry": "Geometry: points and segments in the plane",
    "others": "Others: your own",
}


def list_command(json: bool = JSON_OPTION) -> None:
    """The algorithms by what they are for: what each does, and what is proven of its network.

    What one declares, its concepts and its rules are shown by `algolens check NAME`. An algorithm
    is one file; another package adds its own through the entry point group `algolens.algorithms`.
    """
    # what loads PyTorch is imported once the options are read
    from algolens.algorithms import algorithms, broken_algorithms

    known, broken = [cls() for cls in algorithms().values()], broken_algorithms()
    if json:
        described = [_described(algorithm) for algorithm in known]
        print_json({"algorithms": described, "broken": broken})
        return
    for group in dict.fromkeys([*GROUPS, *(algorithm.group for algorithm in known)]):
        members = [algorithm for algorithm in known if algorithm.group == group]
        if members:
            results.print(_group_table(GROUPS.get(group, group), members))
    results.print(
        "Right: the share of test graphs on which the network that ships is right in every step "
        "and everything. `algolens check NAME` shows what one declares; `algolens list --json` "
        "all of this, and how presets depart from the paper."
    )
    for problem in broken:
        say(f"Not read: {problem}")


def _group_table(title: str, members: list[Algorithm]) -> Table:
    from rich import box
    from rich.table import Table

    from algolens.terminal.declared import purpose_alone

    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE, show_header=False
    )
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for algorithm in members:
        details = Text.assemble(
            (algorithm.title, "bold"),
            "\n",
            purpose_alone(algorithm),
            "\n",
            (_in_short(algorithm), "dim"),
        )
        table.add_row(algorithm.name, details)
    return table


def _in_short(algorithm: Algorithm) -> str:
    from algolens.experiment.model import Shipped

    ships = Shipped.of(algorithm.name)
    on = "any graph" if algorithm.graphs == "any" else f"{algorithm.graphs} graphs"
    parts = [f"on {on}", f"reads {', '.join(algorithm.declaration.inputs) or 'nothing'}"]
    parts += [*filter(None, [ships.proven_in_words]), *ships.right_in_words]
    return "; ".join(parts)


def _described(algorithm: Algorithm) -> dict[str, object]:
    """An algorithm for machines."""
    from algolens.experiment.config import objections, preset
    from algolens.experiment.model import Shipped
    from algolens.reproduction.departures import departures_of
    from algolens.terminal.declared import declared_json, purpose

    declaration, ships = algorithm.declaration, Shipped.of(algorithm.name)
    declared = declared_json(algorithm)
    same = ("about", "location", "concepts", "outcomes", "rules", "continues", "options")
    presets = [name for name, problem in objections(algorithm).items() if problem is None]
    departures = {}
    for name in presets:  # trained with as many seeds as the paper's
        experiment = replace(preset(name, algorithm), seeds=tuple(range(SEEDS)))
        departures[name] = [departure.to_json() for departure in departures_of(experiment)]
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "group": algorithm.group,
        "purpose": purpose(algorithm),
        "graphs": algorithm.graphs,
        **{key: declared[key] for key in same},
        "inputs": list(declaration.inputs),
        "outputs": {name: list(kind.labels) for name, kind in declaration.outputs.items()},
        "presets": presets,
        "departures": departures,
        "shipped": ships.proven is not None,
        "proven": ships.proven,
        "cases": ships.cases,
        "graphs_right": dict(ships.right),
    }


class At(Enum):
    """Where concepts and outputs sit."""

    NODE = "node"
    EDGE = "edge"


def new_command(
    name: str = argument(..., "The algorithm's name: letters, digits and underscores."),
    at: At = option(At.NODE, "Where its outputs sit."),
    out: Path | None = option(None, "The file to write; by default `NAME.py`, here."),
) -> None:
    """Write a documented file to start an algorithm of your own from.

    `algolens check` accepts it as it is.
    Examples: `algolens new spread` and `algolens new my_matching --at edge`
    """
    from algolens.logic.names import name_objection  # once the options are read

    wrong = name_objection(name)
    if wrong is not None:
        raise AlgoLensError(f"{name!r} cannot name an algorithm: {wrong}")
    if name in complete_algorithms(name):  # of a user's own, `check` says so
        raise AlgoLensError(f"an algorithm '{name}' is there already: choose another name.")
    path = out or Path(f"{name}.py")
    template = files("algolens.cli").joinpath("templates", f"{at.value}.py.txt")
    class_name = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    text = template.read_text(encoding="utf-8").replace("NAME", name).replace("CLASS", class_name)
    from algolens.disk import write_file

    write_file(path, text, "give another name, or another file with --out", replace=False)
    say(f"Wrote {path}. Change it, then: algolens check {path}")


def check_command(
    target: str = argument(
        ...,
        "A Python file with algorithms (or `FILE.py:CLASS`), or a known name.",
        metavar="ALGORITHM",
        autocompletion=complete_checkable,
    ),
    option: OptionsOption = None,
    graphs: str | None = option(
        None, "Also try it on graphs of yours: a folder of files.", show_default=False
    ),
    family: FamilyOption = None,
    directed: DirectedOption = None,
    data_seed: int = limited(0, SEED, "For inputs that these graphs lack, and for a family."),
    json: bool = JSON_OPTION,
) -> None:
    """What an algorithm declares, who learns it, an example run, and whether it is right.

    Nothing is trained. Where the class has a `reference`, its runs on random graphs are compared
    with it. Exit status 1 where something is wrong. Examples: `algolens check my_algorithm.py` and
    `algolens check coloring --option colors=7`
    """
    try:
        checked = al.check(
            target,
            graphs=graphs,
            family=family,
            directed=directed,
            data_seed=data_seed,
            **read_options(option),
        )
    except DefinitionError as problem:
        if json:
            print_json({"right": False, "problems": [str(problem)], "algorithms": []})
        else:
            say(f"Wrong: {problem}")
        raise typer.Exit(1) from problem
    print_result(checked, json=json)
    if not checked:
        raise typer.Exit(1)


WHAT = (
    "A program in a .json file, an algorithm's name or file, or a model's folder, for its program."
)


def compare_command(
    first: str = argument(..., WHAT, autocompletion=complete_runnable),
    second: str = argument(..., WHAT, autocompletion=complete_runnable),
    seconds: float = limited(
        60.0, SECONDS, "CPU seconds to look for a difference, and as many for a proof by Z3."
    ),
    json: bool = JSON_OPTION,
) -> None:
    """Whether two programs do the same on every graph; if not, a small graph on which they differ.

    Where neither is seen case by case, Z3 looks for a proof, with what holds in every state that a
    run reaches.

    Examples: `algolens compare coloring runs/coloring-paper` and `algolens compare mine.json
    yours.json`
    """
    names = [name for name in (first, second) if name not in al.list_algorithms()]
    models = {name: load_noted(name) for name in names if Path(name).is_dir()}
    compared = al.compare(
        models.get(first, first), models.get(second, second), seconds=seconds, progress=note
    )
    if json:
        print_json(compared.to_json())
    else:
        results.print(Text(str(compared)))


SECONDS_BETWEEN_LINES = 2.0  # of progress
# a concept, its value, and where and when, as in has_priority=true@Mill#2
SETTING = re.compile(r"(\w+)=(true|false)((?:[@#].*)?)", re.IGNORECASE)
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
ASKED = {
    "nodes": (
        Path | None,
        option(
            None,
            "A .csv, .tsv or .parquet with values of nodes: a header like `node,wall,priority`, "
            "then a line for each node. Columns go by the names of the algorithm's inputs.",
            show_default=False,
        ),
    ),
    "directed": (DirectedOption, None),
    "source": (
        str | None,
        option(
            None,
            "The node to start from, if the algorithm has a source. Any other input of the whole "
            "graph is an option by its name, too.",
        ),
    ),
    "by": (
        list[By] | None,
        option(
            None,
            "What carries it out: the `algorithm` itself; a `network` (the one that ships, or "
            "your model's), an exact one by tables compiled from its layers; or its `rules`, over "
            "the concepts that the network sees. Unless said, an algorithm's name runs by "
            "algorithm, and a model's folder by network. Given more than once, the runs stand "
            "side by side on a page.",
            show_default=False,
        ),
    ),
    "given": (
        list[str] | None,
        option(
            None,
            "An input of the whole graph, as in `source=Mill` or `horizon=3`. May be repeated.",
            "--input",
        ),
    ),
    "options": (OptionsOption, None),
    "set_by_hand": (
        list[str] | None,
        option(
            None,
            "Set a concept by hand and see what follows: `has_priority=true@Mill#2` at node Mill "
            "in step 2; without `#2` in every step, without `@Mill` everywhere. May be repeated.",
            "--set",
        ),
    ),
    "places": (
        int | None,
        limited(
            None,
            PLACES,
            "Round numbers to this many decimals if they do not fit; a note says what changes.",
            "--round",
            show_default=False,
        ),
    ),
    "seed": (
        int,
        limited(0, SEED, "For what is drawn at random: a family's graph, priorities, weights."),
    ),
    "html": (
        Path | None,
        option(
            None,
            "Write a page that plays the run in a browser: one file, which needs nothing else.",
            show_default=False,
        ),
    ),
    "around": (
        str | None,
        option(
            None,
            "Show the part of a large graph near this node. By default the page shows the whole "
            "graph, or a part chosen for you if a browser has no room for it.",
            show_default=False,
        ),
    ),
}


@taking(ASKED)
def execute_command(
    context: typer.Context,
    algorithm: AlgorithmArgument,
    graph: GraphArgument,
    *,
    trace: bool = option(
        False, "Every node (or edge) in every step; with --json, under the key `trace`.", "--trace"
    ),
    json: bool = JSON_OPTION,
    out: Path | None = option(
        None,
        "Write what came of it as a table, a row for each node or edge: .csv, .tsv or "
        ".parquet. With --engine, a new folder: edges (and --nodes) are read as Parquet, and "
        "results written so; the graph need not fit into memory.",
    ),
    why: str | None = option(
        None,
        "Say why a node (or an edge, as `Mill - Bridge`) is as it is, and nothing else.",
        show_default=False,
    ),
    step: int | None = limited(
        None,
        STEP,
        "The step that --why asks about, from 1 on, or -1 for the last (the default).",
        show_default=False,
    ),
    formulas: bool = option(
        False, "With --why: also the rules and statements behind it.", "--formulas"
    ),
    engine: str | None = option(
        None,
        "A database that carries the algorithm out as SQL: `duckdb`, on this machine, or "
        "`spark`, also on a cluster. The last step alone is kept.",
        show_default=False,
    ),
    engine_option: list[str] | None = option(
        None,
        "An option of the engine: `max_steps=50`; of duckdb `memory=2GB`, `threads=2`, "
        "`folder=DIR`; of spark `master=spark://host:7077`, `folder=DIR`, `partitions=8`. May be "
        "repeated.",
        "--engine-option",
    ),
    html: Path | None,
    around: str | None,
    **asked: Any,
) -> None:
    """Run an algorithm on a graph, and read what every step does and why.

    Examples: `algolens execute bfs nx:petersen --source 3` and `algolens execute coloring roads.csv
    --by network --json`
    """
    if len(asked["by"] or []) > 1 and html is None:
        raise AlgoLensError(
            "--by is given more than once: runs stand side by side on a page alone. Give --html "
            "run.html."
        )
    if why is None and (step is not None or formulas):
        what = "--formulas" if step is None else "--step"
        raise AlgoLensError(f"{what} says more of what --why asks about: give --why NODE too.")
    if why is not None and (json or html is not None):
        raise AlgoLensError("--why says it in sentences, of one run: leave out the others.")
    if around is not None and html is None:
        raise AlgoLensError("--around says what a page shows: give --html run.html too.")
    database = None
    if engine is not None:
        refused: dict[str, Any] = {"--trace": trace, "--html": html, "--why": why}
        if out is not None:
            refused |= {"--set": asked["set_by_hand"], "--by": asked["by"]}
            refused |= {"--round": asked["places"]}
        for name, value in refused.items():
            if value:
                raise AlgoLensError(
                    f"{name}: engine {engine} keeps the last step alone. Leave it out, or run "
                    "without --engine."
                )
        database = _engine(engine, engine_option or [])
        if out is not None:
            _execute_parquet(algorithm, graph, out, database, _read(context.args, asked), json=json)
            return
    # what loads PyTorch is imported once the options are read
    from algolens.front.result_table import check_result_file
    from algolens.terminal.outcome import count_in_words

    if html is not None:
        from algolens.player.page import check_page

        check_page(html)
    if out is not None:
        check_result_file(out)
    is_shown = not json and html is None and out is None
    execution, *others = _run(
        [algorithm],
        graph,
        _read(context.args, asked),
        # where no step is shown, and none compared with the algorithm's, none but the last is kept:
        # large graphs fit
        trace=trace or is_shown or html is not None,
        engine=database,
        tell=_progress(),
    )
    if why is not None:
        say(execution.explain(why, -1 if step is None else step, formulas=formulas))
        return
    if html is not None:
        execution.save_html(html, *others, around=around)
        note(f"{html}: open it in a browser. It needs nothing else.")
    if out is not None:
        execution.save_result(out)
        note(f"{out}: {count_in_words(len(execution.elements), 'row')}.")
    if json:
        print_json(execution.to_json(trace=trace))
    elif is_shown:
        print_parts(execution.steps_shown(everything=trace))


@taking(ASKED)
def play_command(
    context: typer.Context,
    algorithm: AlgorithmArgument,
    graph: GraphArgument,
    *,
    html: Path | None,
    around: str | None,
    **asked: Any,
) -> None:
    """Run an algorithm on a graph, and play the run in a browser, with the reason for each step.

    Several algorithms before the graph stand side by side.

    Examples: `algolens play dijkstra roads.csv --source Mill`, `algolens play prim kruskal boruvka
    roads.csv` and `algolens play coloring roads.csv --by network --by algorithm`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.executing import open_page
    from algolens.player.page import check_page

    if html is not None:
        check_page(html)
    more = list(takewhile(lambda word: not word.startswith("-"), context.args))
    words = [algorithm, graph, *more]
    first, *others = _run(words[:-1], words[-1], _read(context.args[len(more) :], asked))
    name = "-".join(dict.fromkeys(run.algorithm for run in [first, *others]))
    place, opened = open_page(first.page(*others, around=around), name, html)
    note(str(place) if opened else f"{place}: no browser was found here; open it in one.")


def _read(words: list[str], asked: dict[str, Any]) -> dict[str, Any]:
    """What both commands are asked, as ``executions`` takes it. words: options of no name here."""
    inputs = _inputs(words, asked.pop("source"), asked.pop("given") or [])
    read = {
        "inputs": inputs,
        "by": asked["by"] or [],
        "options": read_options(asked["options"]),
        "set_by_hand": _settings(asked["set_by_hand"] or []),
    }
    return {**asked, **read}


def _run(
    algorithms: list[str], graph: str, asked: dict[str, Any], **settings: Any
) -> list[Execution]:
    """The runs of some algorithms on a graph; what the user should know of them is told."""
    from algolens.front.executing import executions

    runs = executions(algorithms, graph, **asked, **settings)
    for text in dict.fromkeys(text for run in runs for text in run.notes):
        note(f"note: {text}")
    return runs


def _inputs(words: list[str], source: str | None, given: list[str]) -> dict[str, str]:
    """Inputs of the whole graph by name. words: options that are no other's (``--target Mill``)."""
    pairs = [] if source is None else [("source", source)]
    pairs += read_pairs(given, "--input", "source=Mill")
    left = list(words)
    while left:
        option, equals, value = left.pop(0).partition("=")
        if not option.startswith("--"):
            raise AlgoLensError(
                f"'{option}' is one argument too many: give an algorithm and a graph."
            )
        if not equals and not left:
            raise AlgoLensError(
                f"{option} needs a value, as in {option} Mill; there is no option {option} without "
                "one: see `algolens execute --help`."
            )
        name = option.removeprefix("--").replace("-", "_")
        pairs.append((name, value if equals else left.pop(0)))
    inputs = dict(pairs)
    for name in inputs:
        if sum(name == other for other, _ in pairs) > 1:
            raise AlgoLensError(f"--input {name}: it is given twice. Keep one of them.")
    return inputs


def _settings(given: list[str]) -> dict[str, bool]:
    """Concepts set by hand, as ``al.execute`` takes them."""
    settings = {}
    for text in given:
        words = SETTING.fullmatch(text)
        if words is None:
            raise AlgoLensError(
                f"--set '{text}' should be a concept and its value, then where and when if not "
                "everywhere: has_priority=true, has_priority=true@Mill or has_priority=true@Mill#2 "
                "(at the second step)."
            )
        concept, value, where = words.groups()
        settings[concept + where] = value.lower() == "true"
    return settings


def _engine(name: str, options: list[str]) -> Engine:
    """The engine of a user, with its options."""
    from algolens.engines.sql import find_engine

    return find_engine(name, dict(read_pairs(options, "--engine-option", "memory=2GB")))


def _progress() -> Callable[[int, float], None]:
    """Tells of steps, not more often than every few seconds."""
    last = monotonic()

    def tell(step: int, seconds: float) -> None:
        nonlocal last
        if monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = monotonic()
            note(f"step {step}: {seconds:.1f} s")

    return tell


def _execute_parquet(
    algorithm: str, graph: str, out: Path, engine: Engine, asked: dict[str, Any], *, json: bool
) -> None:
    """``execute --engine ... --out``: Parquet in, Parquet out."""
    known = {name: asked[name] for name in ("nodes", "directed", "options", "seed")}
    run = al.execute_parquet(
        algorithm, graph, out, engine=engine, tell=_progress(), **known, **asked["inputs"]
    )
    for text in run.notes:
        note(f"note: {text}")
    if json:
        named = {"algorithm": algorithm, "asked": {"graph": graph}, "engine": engine.name}
        print_json({**named, **run.to_json()})
        return
    cut = "cut short after" if run.is_cut_short else "finished after"
    say(
        f"{algorithm} on {graph}: {run.num_nodes:,} nodes, {run.num_edges:,} edges, by "
        f"{engine.name}; {cut} {run.steps:,} steps."
    )
    for outcome, value in run.outcomes.items():
        say(f"{outcome}: {'yes' if value else 'no'}")
    say(f"Results: {run.out}")
