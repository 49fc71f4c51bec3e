"""The commands about algorithms: listed, begun, looked over, compared, run and played."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

import algolens as al
from algolens.api import By
from algolens.cli.options import Directed, complete_algorithms, read_options, read_pairs
from algolens.cli.output import (
    load_noted,
    note,
    noted,
    print_json,
    print_parts,
    print_result,
    results,
    say,
)
from algolens.disk import write_file
from algolens.errors import AlgoLensError, DefinitionError
from algolens.lazy import Library
from algolens.limits import PLACES, SECONDS, SEED, STEP

checking, executing = Library("algolens.api.checking"), Library("algolens.api.executing")
results_of, player = Library("algolens.api.execution"), Library("algolens.player.page")
names, sql = Library("algolens.logic.names"), Library("algolens.engines.sql")


def list_command(*, verbose: Annotated[bool, "-v"] = False, json: bool = False) -> None:
    """List the algorithms and what each one does.

    The list is grouped by purpose. `algolens check NAME` shows an algorithm's declaration, its
    concepts and its rules. Other packages can add algorithms through the entry point group
    `algolens.algorithms`.

    Options
    -------
    verbose
        Also show what each one reads, and what is proven about the network that ships for it.
    """
    print_result(checking.listing(verbose=verbose), json=json)


def new_command(
    name: str, *, at: Literal["node", "edge"] = "node", out: Path | None = None
) -> None:
    """Write a template for an algorithm of your own.

    The file has a comment on each part, and passes `algolens check` as it is. Examples: `algolens
    new spread` and `algolens new my_matching --at edge`

    Options
    -------
    name
        The algorithm's name: letters, digits and underscores.
    at
        The location of its outputs.
    out
        The file to write; by default, `NAME.py` in the current folder.
    """
    wrong = names.name_objection(name)
    if wrong is not None:
        raise AlgoLensError(f"{name!r} cannot name an algorithm: {wrong}")
    if name in complete_algorithms(name):  # of a user's own, `check` says so
        raise AlgoLensError(f"an algorithm '{name}' is there already: choose another name.")
    path = out or Path(f"{name}.py")
    text = (files("algolens.cli") / "templates" / f"{at}.py.txt").read_text(encoding="utf-8")
    class_name = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    text = text.replace("NAME", name).replace("CLASS", class_name)
    write_file(path, text, "give another name, or another file with --out", replace=False)
    say(f"Wrote {path}. Change it, then: algolens check {path}")


def check_command(
    algorithm: str,
    *,
    option: list[str] | None = None,
    graphs: str | None = None,
    family: str | None = None,
    directed: Directed = None,
    data_seed: Annotated[int, SEED] = 0,
    json: bool = False,
) -> None:
    """Check an algorithm's declaration for mistakes.

    Also shows which presets can learn it, and an example run. Nothing is trained. If the class has
    a `reference`, runs on random graphs are compared with it. The exit status is 1 if something is
    wrong. Examples: `algolens check my_algorithm.py` and `algolens check coloring --option
    colors=7`

    Options
    -------
    algorithm
        A Python file with algorithms (or `FILE.py:CLASS`), or the name of an algorithm.
    graphs
        Also test it on your own graphs: a folder of files.
    data_seed
        Seed for a family of graphs, and for inputs that your graphs lack.
    """
    own: dict[str, Any] = {
        "graphs": graphs,
        "family": family,
        "directed": directed,
        "data_seed": data_seed,
    }
    try:
        checked = al.check(algorithm, **(own | read_options(option)))
    except DefinitionError as problem:
        if json:
            print_json({"right": False, "problems": [str(problem)], "algorithms": []})
        else:
            say(f"Wrong: {problem}")
        raise typer.Exit(1) from problem
    print_result(checked, json=json)
    if not checked:
        raise typer.Exit(1)


def compare_command(
    first: str, second: str, *, seconds: Annotated[float, SECONDS] = 60.0, json: bool = False
) -> None:
    """Prove two programs equal, or find a graph on which they differ.

    If they differ, the command shows a small graph on which they do. If checking every case settles
    neither, Z3 looks for a proof, with invariants of the states that runs reach.

    Examples: `algolens compare coloring runs/coloring-paper` and `algolens compare mine.json
    yours.json`

    Options
    -------
    first
        A program in a .json file, an algorithm's name or file, or a model's folder.
    second
        The same as for the first.
    seconds
        CPU seconds for the search for a difference, and again for a proof by Z3.
    """
    known = al.list_algorithms()
    compared = al.compare(
        *(
            load_noted(name) if name not in known and Path(name).is_dir() else name
            for name in (first, second)
        ),
        seconds=seconds,
        progress=note,
    )
    if json:
        print_json(compared.to_json())
    else:
        results.print(Text(str(compared)))


SECONDS_BETWEEN_LINES = 2.0  # of progress
# a concept, its value, and where and when, as in has_priority=true@Mill#2
SETTING = re.compile(r"(\w+)=(true|false)((?:[@#].*)?)", re.IGNORECASE)


def _asked(
    context: typer.Context,
    graph: str | None = None,
    *,
    nodes: Path | None = None,
    directed: Directed = None,
    source: str | None = None,
    by: list[By] | None = None,
    input: list[str] | None = None,
    option: list[str] | None = None,
    set: list[str] | None = None,
    round: Annotated[int | None, PLACES] = None,
    seed: Annotated[int, SEED] = 0,
) -> tuple[list[str], dict[str, Any]]:
    """What is asked of a run: words that are no options, and what ``executions`` takes.

    Options
    -------
    nodes
        A .csv, .tsv or .parquet file with values of nodes: a header such as `node,wall,priority`,
        then a line for each node. Columns are named after the algorithm's inputs.
    source
        The node to start from, if the algorithm has a source. Other inputs of the whole graph are
        options of their own names, too.
    by
        What runs it: the `algorithm` itself; a `network` (the one that ships, or your model's; an
        exact network runs from tables compiled from its layers); or its `rules`, applied to the
        concepts that the network computes. By default, `algorithm` for an algorithm's name and
        `network` for a model's folder. Repeat it to show several runs side by side on a page.
    input
        An input of the whole graph, such as `source=Mill` or `horizon=3`. May be repeated.
    set
        Override a concept and see the effect: `has_priority=true@Mill#2` sets it at node Mill in
        step 2; omit `#2` for every step and `@Mill` for every node. May be repeated.
    round
        Round numbers to this many decimals if they do not fit; a note says what the rounding
        changes.
    seed
        Seed for everything that is drawn at random: a family's graph, priorities, weights.
    """
    words, options = _split(
        [*([] if graph is None else [graph]), *context.args], context.command_path
    )
    settings = {
        "inputs": _inputs(options, source, input),
        "nodes": nodes,
        "directed": directed,
        "by": by or [],
        "options": read_options(option),
        "set_by_hand": _settings(set or []),
        "places": round,
        "seed": seed,
    }
    return words, settings


def execute_command(
    algorithm: str,
    *,
    trace: bool = False,
    json: bool = False,
    out: Path | None = None,
    why: str | None = None,
    step: Annotated[int | None, STEP] = None,
    formulas: bool = False,
    engine: str | None = None,
    engine_option: list[str] | None = None,
    html: Path | None = None,
    around: str | None = None,
    **asked: Annotated[Any, _asked],
) -> None:
    """Run an algorithm on a graph and show every step.

    Examples: `algolens execute bfs nx:petersen --source 3`, `algolens execute coloring roads.csv
    --by network --json` and `algolens execute kmp_matcher ABABABAC ABABAC`

    Options
    -------
    trace
        Show every node (or edge) in every step; with --json, under the key `trace`.
    out
        Write the result as a table with a row for each node or edge: .csv, .tsv or .parquet. With
        --engine, a new folder: the command reads edges (and --nodes) as Parquet and writes Parquet,
        so the graph need not fit into memory.
    why
        Only explain the state of this node (or edge, such as `Mill - Bridge`).
    step
        The step for --why, counted from 1; -1, the default, is the last.
    formulas
        With --why: also show the rules and statements behind the reasons.
    engine
        A database that runs the algorithm as SQL: `duckdb`, on this machine, or `spark`, here or on
        a cluster. Only the last step is kept.
    engine_option
        An option of the engine: `max_steps=50`; for duckdb, `memory=2GB`, `threads=2`,
        `folder=DIR`; for spark, `master=spark://host:7077`, `folder=DIR`, `partitions=8`. May be
        repeated.
    """
    graph, settings = _asked(**asked)
    if len(settings["by"]) > 1 and html is None:
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
        refused = {"--trace": trace, "--html": html, "--why": why}
        if out is not None:
            given = {"--set": "set_by_hand", "--by": "by", "--round": "places"}
            refused |= {name: settings[key] for name, key in given.items()}
        for name, value in refused.items():
            if value:
                raise AlgoLensError(
                    f"{name}: engine {engine} keeps the last step alone. Leave it out, or run "
                    "without --engine."
                )
        options = dict(read_pairs(engine_option, "--engine-option", "memory=2GB"))
        database = sql.find_engine(engine, options)
        if out is not None:
            if len(graph) != 1:
                raise AlgoLensError(
                    "--engine with --out reads one file of edges, as roads.parquet."
                )
            _execute_parquet(algorithm, graph[0], out, database, settings, json=json)
            return
    if html is not None:
        player.check_page(html)
    if out is not None:
        results_of.check_result_file(out)
    is_shown = not json and html is None and out is None
    # where no step is shown, and none compared with the algorithm's, none but the last is kept:
    # large graphs fit
    settings["trace"] = trace or is_shown or html is not None
    execution, *others = _run([algorithm], graph, engine=database, tell=_progress(), **settings)
    if why is not None:
        say(execution.explain(why, -1 if step is None else step, formulas=formulas))
        return
    if html is not None:
        execution.save_html(html, *others, around=around)
        note(f"{html}: open it in a browser. It needs nothing else.")
    if out is not None:
        execution.save_result(out)
        rows = len(execution.elements)
        note(f"{out}: {rows:,} row{'s' * (rows != 1)}.")
    if json:
        print_json(execution.to_json(trace=trace))
    elif is_shown:
        print_parts(execution.steps_shown(everything=trace))


def play_command(
    algorithm: str,
    *,
    html: Path | None = None,
    around: str | None = None,
    **asked: Annotated[Any, _asked],
) -> None:
    """Run an algorithm on a graph and play the run in a browser.

    The page shows the reason for each step. The arguments are those of `algolens execute`; without
    a graph, the algorithm's own example is played. Give several algorithms to play them side by
    side.

    Examples: `algolens play quicksort`, `algolens play dijkstra roads.csv --source Mill`, `algolens
    play prim kruskal boruvka roads.csv` and `algolens play coloring roads.csv --by network --by
    algorithm`
    """
    if html is not None:
        player.check_page(html)
    words, settings = _asked(**asked)
    more = list(takewhile(_is_algorithm, words))
    if more and more == words and words[-1].endswith(".json"):  # as a graph, too
        more.pop()
    first, *others = _run([algorithm, *more], words[len(more) :], **settings)
    name = "-".join(dict.fromkeys(run.algorithm for run in (first, *others)))
    page = first.page(*others, around=around)
    place, opened = executing.open_page(page, name, html)
    note(str(place) if opened else f"{place}: no browser was found here; open it in one.")


def _is_algorithm(word: str) -> bool:
    """Whether it names what can be run, and no graph."""
    is_file = re.search(r"\.(json|py(:\w+)?)$", word) is not None
    return is_file or Path(word).is_dir() or word in al.list_algorithms()


def _run(algorithms: list[str], graph: list[str], **settings: Any) -> list[al.Execution]:
    """The runs of some algorithms on a graph; what the user should know of them is told."""
    runs: list[al.Execution] = executing.executions(algorithms, graph, **settings)
    noted(text for run in runs for text in run.notes)
    return runs


def _split(given: list[str], command: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Words, which may be negative numbers, and options that are no other's (``--target Mill``)."""
    words, options, left = list[str](), list[tuple[str, str]](), list(given)
    while left:
        word, equals, value = left.pop(0).partition("=")
        if not word.startswith("--"):
            words.append(word + equals + value)
            continue
        if not equals and not left:
            raise AlgoLensError(
                f"{word} needs a value, as in {word} Mill; there is no option {word} without "
                f"one: see `{command} --help`."
            )
        name = word.removeprefix("--").replace("-", "_")
        options.append((name, value if equals else left.pop(0)))
    return words, options


def _inputs(
    pairs: list[tuple[str, str]], source: str | None, given: list[str] | None
) -> dict[str, str]:
    """Inputs of the whole graph by name. pairs: from options of their own names."""
    pairs = [
        *([] if source is None else [("source", source)]),
        *read_pairs(given, "--input", "source=Mill"),
        *pairs,
    ]
    inputs: dict[str, str] = {}
    for name, value in pairs:
        if name in inputs:
            raise AlgoLensError(f"--input {name}: it is given twice. Keep one of them.")
        inputs[name] = value
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
    algorithm: str, graph: str, out: Path, engine: Any, settings: dict[str, Any], *, json: bool
) -> None:
    """``execute --engine ... --out``: Parquet in, Parquet out."""
    known = {name: settings[name] for name in ("nodes", "directed", "options", "seed")}
    run = al.execute_parquet(
        algorithm, graph, out, engine=engine, tell=_progress(), **known, **settings["inputs"]
    )
    noted(run.notes)
    if json:
        named = {"algorithm": algorithm, "asked": {"graph": graph}, "engine": engine.name}
        print_json({**named, **run.to_json()})
        return
    cut = "cut short" if run.is_cut_short else "finished"
    say(
        f"{algorithm} on {graph}: {run.num_nodes:,} nodes, {run.num_edges:,} edges, by "
        f"{engine.name}; {cut} after {run.steps:,} steps."
    )
    for outcome, value in run.outcomes.items():
        say(f"{outcome}: {'yes' if value else 'no'}")
    say(f"Results: {run.out}")
