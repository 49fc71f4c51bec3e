"""Run an algorithm by its declaration, a network or rules, and play the run."""

from __future__ import annotations

import os
import re
import tempfile
import webbrowser
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from algolens.algorithms import (
    Algorithm,
    algorithm_in_file,
    algorithms,
    shipped_folder,
    unknown_algorithm,
    variants,
)
from algolens.algorithms import algorithm as find_algorithm
from algolens.api import By
from algolens.api.execution import Execution, element_of, find_element
from algolens.arrays import NUMPY, Array, flatnonzero
from algolens.disk import AnyPath
from algolens.engines import Intervention, Run, run_algorithm
from algolens.engines.needs import check_run, check_size
from algolens.engines.parts import Sureness
from algolens.engines.program import Program
from algolens.engines.sql import (
    Engine,
    ParquetRun,
    find_engine,
    on_steps,
    run_in_tables,
    run_on_parquet,
)
from algolens.engines.sql.engine import Tell
from algolens.errors import (
    MOST_SHOWN,
    AlgoLensError,
    AlgoLensWarning,
    DefinitionError,
    GraphError,
    UnknownNameError,
    brief,
)
from algolens.evaluation.rightness import Mistake, first_mistakes
from algolens.graphs import Graph, NamedGraph, stream
from algolens.graphs.family_sizes import size_in_words
from algolens.language.instances import drawn_ranks, read_instance
from algolens.language.scales import places_in_bits, round_inputs
from algolens.language.values import rounding_offered
from algolens.lazy import Library, is_instance
from algolens.limits import PLACES, SEED
from algolens.logic.remarks import warnings
from algolens.logic.rule_set import RuleSet
from algolens.memory import phase
from algolens.text.display import HEIGHT, Frame, in_notebook

if TYPE_CHECKING:
    from algolens.experiment.model import Model

kept, networks = Library("algolens.experiment.model"), Library("algolens.models")
scoring, player = Library("algolens.evaluation"), Library("algolens.player.page")
SMALLER = "give a smaller graph, or allow more with --max-memory (in Python, ALGOLENS_MAX_MEMORY)"

# ---- what a user names


@dataclass(frozen=True, eq=False)
class Subject:
    """What a user wants to run: an algorithm, a model or a stand-alone program."""

    name: str
    algorithm: Algorithm | None = None
    find_model: Callable[[], Model] | None = None  # loads it, where there is one
    program: Program | None = None

    @property
    def usual(self) -> By:
        """What runs it by default."""
        return By.NETWORK if self.algorithm is None and self.program is None else By.ALGORITHM


def find_subject(given: object) -> Subject:
    """Find an algorithm, a model or a program, given the object, its name or its path."""
    if isinstance(given, type) and issubclass(given, Algorithm):
        given = given()
    if isinstance(given, Algorithm):
        is_known = algorithms().get(given.name) is type(given)
        return Subject(given.name, given, _model_beside(given.name) if is_known else None)
    if isinstance(given, Program):
        return Subject(given.name, program=given)
    if is_instance(given, "algolens.experiment.model", "Model"):
        model: Any = given
        return Subject(model.algorithm.name, find_model=lambda: model)
    if not isinstance(given, str | os.PathLike):
        raise AlgoLensError(
            "an algorithm is a name, an Algorithm (or its class), a model (or its folder), or a "
            f"program; a {type(given).__name__} came."
        )
    name = os.fspath(given)
    own = algorithm_in_file(name)
    if own is not None:
        return find_subject(own)
    if name.endswith(".json") and not Path(name).is_dir():
        return Subject(name, program=Program.load(Path(name)))
    beside = _model_beside(name)
    if name in algorithms() or name in variants():
        return Subject(name, find_algorithm(name), beside)
    if beside is None:
        raise unknown_algorithm(name)
    return Subject(name, find_model=beside)


def _model_beside(name: str) -> Callable[[], Model] | None:
    """The model that ships for an algorithm, or the one in the folder of that name."""
    is_there = shipped_folder(name) is not None or Path(name).is_dir()
    return cache(lambda: kept.load_model(name, certified=False)) if is_there else None


@dataclass(frozen=True, eq=False)
class Way:
    """One way to run an algorithm."""

    by: By
    algorithm: Algorithm
    sockets: Mapping[str, Any]  # what takes the algorithm's place in the loop
    rule_set: RuleSet  # whose rules say why
    notes: tuple[str, ...] = ()  # what the user should know


def find_way(subject: Subject, by: By, options: Mapping[str, Any]) -> Way:
    """Return how to run a subject in a given way. options: changed options of the algorithm."""
    name, program, algorithm = subject.name, subject.program, subject.algorithm
    if program is not None:
        if by is not By.ALGORITHM:
            raise AlgoLensError(
                f"by {by.value}: {name} is a program, which has no network. Leave it out."
            )
        if options:
            raise AlgoLensError(
                f"option {next(iter(options))}: the program {name} is as it was written. Leave it "
                "out."
            )
        return Way(by, program.algorithm, {}, program.rules, tuple(warnings(program.remarks)))
    if by is By.ALGORITHM and algorithm is not None:
        algorithm = with_options(algorithm, options)
        return Way(by, algorithm, {}, algorithm.declaration.rule_set)
    if subject.find_model is None:
        raise AlgoLensError(
            f"no model ships for {name}: train one (`algolens train {name}`, or al.train in "
            "Python) and give that."
        )
    trained = subject.find_model()
    algorithm, notes = trained.algorithm, trained.notes
    if options:
        given = ", ".join(f"{name}={value}" for name, value in algorithm.options.items()) or "none"
        raise AlgoLensError(
            f"a network keeps the options that it was trained with ({given}): leave the options "
            "out."
        )
    declared = algorithm.declaration.rule_set
    if by is By.ALGORITHM:
        return Way(by, algorithm, {}, declared, notes)
    own = trained.rules or declared
    # where the user's graph is; after a training it may be on a GPU
    network = trained.network.only(0).cpu()
    if by is By.NETWORK:
        if trained.rules is None and trained.experiment.architecture.bottleneck:
            without = "no rules of this network are here; 'because' goes by the algorithm's own."
            notes = (*notes, without)
        return Way(by, algorithm, networks.NetworkParts(network).sockets, own, notes)
    if trained.rules is None:
        without = (
            f"{name}: no rules were drawn from these weights (without a bottleneck there are "
            f"none): draw them with `algolens explain {name} --redraw`, or run it by network."
        )
        raise AlgoLensError(" ".join([*notes, without]))
    return Way(by, algorithm, scoring.rule_parts(network, own), own, notes)


def with_options(algorithm: Algorithm, options: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm with changed options."""
    given: dict[str, int] = {}
    for name, value in options.items():
        if not algorithm.options:
            raise AlgoLensError(f"option {name}: {algorithm.name} has no options. Leave it out.")
        if name not in algorithm.options:
            raise UnknownNameError(f"option of {algorithm.name}", name, algorithm.options)
        if not isinstance(value, bool):
            value = algorithm.range_of(name).check(value, f"option {name} of {algorithm.name}")
        given[name] = value
    try:
        return algorithm.but(**given) if given else algorithm
    except DefinitionError as problem:
        said = ", ".join(f"{name}={value}" for name, value in given.items())
        raise AlgoLensError(
            f"{algorithm.name} cannot have {said}: {problem} Give other options."
        ) from problem


# ---- concepts set by hand

# a concept, and where and when, as in has_priority@Mill#2
KEY = re.compile(r"(?P<concept>\w+)(?:@(?P<element>[^#].*?))?(?:#(?P<step>[^#]*))?")
Setting = tuple[str, Intervention]  # as its user said it


def _settings(given: Mapping[str, Any], algorithm: Algorithm, graph: Graph) -> list[Setting]:
    """Read settings from Python: ``{"has_priority@Mill#2": True}``, or a value for each node."""
    if not isinstance(given, Mapping):
        raise AlgoLensError(
            f"set= came as a {type(given).__name__}: give a dictionary, as in "
            "{'has_priority@Mill#2': True}."
        )
    settings = []
    for key, values in given.items():
        words = KEY.fullmatch(key) if isinstance(key, str) else None
        if words is None:
            raise AlgoLensError(
                f"set[{key!r}] should name a concept, then where and when if not everywhere: "
                "'has_priority', 'has_priority@Mill' or 'has_priority@Mill#2' (at the second "
                "step)."
            )
        if words["element"] or not isinstance(values, Mapping):
            values = {words["element"]: values}
        for element, value in values.items():
            if not isinstance(value, bool | np.bool_):
                raise AlgoLensError(
                    f"set[{key!r}] is {value!r}: a concept is set to True or False."
                )
            place, step = _where(key, element, words["step"], algorithm, graph)
            concept, concepts = words["concept"], algorithm.declaration.concepts
            if concept not in concepts:
                raise UnknownNameError(f"concept of {algorithm.name}", concept, concepts)
            settings.append((key, Intervention(concept, bool(value), place, step)))
    return settings


def _where(
    said: str, element: object, step: str | None, algorithm: Algorithm, graph: Graph
) -> tuple[list[int] | None, list[int] | None]:
    """An element by its name (None: all), and a step, counted from 1 (None: all)."""
    if isinstance(element, str) and step is not None:
        # the # may belong to a name
        place = find_element(f"{element}#{step}", algorithm, graph)
        if place is not None:
            return [place], None
    places = None if element is None else [element_of(element, algorithm, graph)]
    if step is None:
        return places, None
    if not re.fullmatch("0*[1-9][0-9]{0,8}", step):
        raise AlgoLensError(
            f"{brief(said)}: steps are numbered from 1, as in #2 for the second; "
            f"'#{step[:MOST_SHOWN]}' is none."
        )
    return places, [int(step) - 1]


# ---- what is to be done


@dataclass(frozen=True, eq=False)
class Task:
    """An algorithm on a graph with its inputs, to be run in one or more ways."""

    subject: str  # what the user named
    algorithm: Algorithm
    given: NamedGraph
    inputs: Mapping[str, Array]
    ways: Sequence[Way]
    settings: Sequence[Setting]  # concepts that are set by hand
    notes: tuple[str, ...]
    seed: int  # for what is drawn at random

    def with_inputs_of(self, other: Task) -> Task:
        """Return the task with the inputs that it shares with another on the same graph."""
        theirs = other.algorithm.declaration.inputs
        inputs = dict(self.inputs)
        for name, field in self.algorithm.declaration.inputs.items():
            known, values = theirs.get(name), other.inputs.get(name)
            if known is None or values is None or known.at != field.at:
                continue
            if field.kind == "number" and known.kind == "number":
                low, most = field.bounds
                wrong = flatnonzero((values < low) | (values > most))
                if len(wrong):
                    raise AlgoLensError(
                        f"{name} {int(values[wrong[0]])} was drawn for {other.algorithm.name}, and "
                        f"{self.algorithm.name} takes {low} to {most}: give a graph that carries "
                        f"a {name}, or name {self.algorithm.name} first."
                    )
            elif known.kind != field.kind:
                continue
            inputs[name] = values
        self.algorithm.check(self.given.graph, inputs)
        return replace(self, inputs=inputs)

    @cached_property
    def truth(self) -> Run:
        """The run of the algorithm itself, without interventions."""
        return run_algorithm(self.algorithm, self.given.graph, self.inputs, check=False)

    def _first_mistake(self, run: Run) -> Mistake | None:
        with phase(f"running {self.algorithm.name} to compare with it", SMALLER):
            return next(iter(first_mistakes(run, self.truth)[1]), None)

    def run(
        self, *, trace: bool, engine: Engine | None = None, tell: Tell | None = None
    ) -> list[Execution]:
        """Run it in each way.

        A run is compared with the algorithm itself once its ``mistake`` is asked for.

        Parameters
        ----------
        trace : bool
            Whether to keep every step, even if nothing is compared.
        engine : Engine, optional
            A database that runs it.
        tell : callable, optional
            Called after each step of a database.
        """
        algorithm, graph = self.algorithm, self.given.graph
        by_hand = tuple(intervention for _, intervention in self.settings)
        if engine is not None and by_hand:
            raise AlgoLensError(
                f"concepts are set by hand step by step, which engine {engine.name} does not do: "
                "leave --set (in Python, set=) or the engine out."
            )
        executions = []
        for way in self.ways:
            is_true = way.by is By.ALGORITHM and not self.settings
            sureness = Sureness(algorithm.declaration.concepts)
            if engine is not None:
                check_engine(engine, way.by, algorithm)
                program = Program.of(algorithm)
                run = run_in_tables(engine, program, algorithm, graph, self.inputs, tell)
            else:
                with phase(f"running {algorithm.name} by {way.by.value}", SMALLER):
                    run = run_algorithm(
                        algorithm,
                        graph,
                        self.inputs,
                        **sureness.noting(way.sockets),
                        interventions=by_hand,
                        trace=trace or not is_true,
                        check=False,
                    ).to(NUMPY)
            executions.append(
                Execution(
                    way.by.value,
                    run,
                    way.rule_set,
                    None if is_true else partial(self._first_mistake, run),
                    sureness.noted,
                    given=self.given,
                    seed=self.seed,
                    interventions=by_hand,
                    asked=self.subject,
                    engine=None if engine is None else engine.name,
                )
            )
        steps = executions[0].steps
        late = (
            f"{said} changed nothing: there is no step {named[0] + 1}, the run ended after {steps}."
            for said, intervention in self.settings
            if isinstance(named := intervention.steps, list) and named[0] >= steps
        )
        cut = filter(None, (each.cut_short for each in executions))
        notes = (*self.notes, *late, *cut)
        return [replace(each, notes=notes) for each in executions]


def check_engine(engine: Engine, by: By, algorithm: Algorithm) -> None:
    """Raise if a network is to run on a database; warn if a program takes many steps."""
    if by is not By.ALGORITHM:
        raise AlgoLensError(
            f"by {by.value}: engine {engine.name} runs only programs. Leave it out; or save the "
            "rules of a network with `algolens explain MODEL --save rules.json`, and run that file."
        )
    unsuited = on_steps(Program.of(algorithm))
    if unsuited is not None:
        warn(AlgoLensWarning(unsuited), stacklevel=2)


def make_task(
    subject: Subject,
    given: Sequence[Any],
    *,
    by: Sequence[By] = (),
    inputs: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    nodes: Any = None,
    directed: bool | None = None,
    seed: int = 0,
    places: int | None = None,
    set_by_hand: Mapping[str, Any] | None = None,
) -> Task:
    """Read and check a user's request.

    given: the graph, as ``read_instance`` takes it. inputs: those of the whole graph. places:
    number of decimals to round to. set_by_hand: concepts by name, as ``al.execute`` takes them.
    """
    ways = [find_way(subject, word, options or {}) for word in by or [subject.usual]]
    # a network keeps its options, and what stands beside it has the same
    network = next((way for way in ways if way.sockets), None)
    chosen = (network or ways[0]).algorithm
    size = size_in_words(given[0]) if given else None
    if size is not None and chosen.table is None:
        check_size(chosen, *size)
    named, known = read_instance(
        chosen, given, inputs or {}, nodes=nodes, directed=directed, seed=seed
    )
    given_inputs = _named_inputs(chosen, known)
    named = named.on_cells(chosen.on_cells(named.graph), chosen.table)
    on_rounding: list[str] = []
    if places is not None:
        graph, given_inputs, on_rounding = round_inputs(chosen, named.graph, given_inputs, places)
        named = replace(named, graph=graph)
    roomy = chosen.with_room_for(named.graph)
    if network is not None and roomy != chosen:
        raise GraphError(_without_room(chosen, roomy, named.graph))
    check_run(roomy, named.graph)
    rng = stream(seed, "inputs", roomy.name)
    read, on_inputs = roomy.read(named.graph, rng, draw_all=named.is_drawn, **given_inputs)
    read |= drawn_ranks(roomy, named.graph, read)
    settings = _settings(set_by_hand or {}, roomy, named.graph)
    on_ways = [note for way in ways for note in way.notes]
    notes = tuple(dict.fromkeys([*on_ways, *on_rounding, *on_inputs]))
    return Task(subject.name, roomy, named, read, ways, settings, notes, seed)


def _named_inputs(algorithm: Algorithm, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Graph-level inputs, nodes by their names."""
    known, named = algorithm.declaration.inputs, {}
    for name, value in inputs.items():
        if name not in known:
            raise UnknownNameError(f"input of {algorithm.name}", name, known)
        named[name] = str(value) if known[name].to else value
    return named


def _without_room(network: Algorithm, roomy: Algorithm, graph: Graph) -> str:
    """Why a network with too few bits cannot run on a graph, and the remedy."""
    bits, has = roomy.options["bits"], network.options["bits"]
    places = places_in_bits(network, graph)
    rounding = "" if places is None else f"{rounding_offered(places)}, or "
    return (
        f"this graph needs numbers of {bits} bits, and the network reads {has}: {rounding}train "
        f"one with `algolens train {network.name} --preset exact --option bits={bits}`."
    )


# ---- run


def execute(
    algorithm: AnyPath | Algorithm | type[Algorithm] | Model | Program,
    *graph: Any,
    by: str | None = None,
    source: Any = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    directed: bool | None = None,
    nodes: Any = None,
    round: int | None = None,
    set: Mapping[str, Any] | None = None,
    trace: bool = True,
    check: bool = False,
    engine: str | Engine | None = None,
    **inputs: Any,
) -> Execution:
    """Run an algorithm on a graph, step by step.

    Parameters
    ----------
    algorithm : str, path, Algorithm, its class, Model or Program
        A name (``al.list_algorithms()``), a model or its folder, or a program or its file.
    *graph : object
        A graph from NetworkX, PyTorch Geometric, SciPy (sparse) or pandas (columns source and
        target), a file, a name such as ``nx:karate_club`` or ``grid:50``, or edges such as
        ``[("A", "B", 4)]``. For an algorithm on numbers, points or words, pass these:
        ``[5, 2, 9, 1]``, or two strings. By default, the algorithm's own example.
    by : str, optional
        What runs it: ``algorithm``, ``network`` (for an exact network, its compiled tables) or
        ``rules`` (applied to the concepts that the network computes). By default, ``network`` for a
        model and ``algorithm`` for everything else.
    source, **inputs : object
        Graph-level inputs, by name.
    options : mapping, optional
        Options of the algorithm, such as ``{"colors": 7}``.
    seed : int
        Seed for everything that is drawn at random.
    directed : bool, optional
        Whether to read the graph as directed; by default, the graph decides.
    nodes : path or table, optional
        A table of attributes of the nodes.
    round : int, optional
        Number of decimals to round to, if numbers do not fit otherwise; a note says what the
        rounding changes.
    set : mapping, optional
        Concepts to override: ``{"has_priority@Mill#2": True}`` sets one at node Mill in step 2;
        omit ``#2`` for every step and ``@Mill`` for every node.
    trace : bool
        Whether to keep every step; for large graphs, ``False`` keeps only the last one.
    check : bool
        Whether to compare the run of a network or of rules with the algorithm's own immediately;
        otherwise this happens when you access ``agrees`` or print the run.
    engine : str or Engine, optional
        A database that runs it as SQL: ``duckdb``, ``spark``, or one with options, such as
        ``al.DuckDB(memory="2GB")``. Only the last step is kept.

    Returns
    -------
    Execution
        The whole run, under the graph's own node names.

    Examples
    --------
    >>> import networkx as nx
    >>> search = execute("bfs", nx.path_graph(4), source=1)
    >>> search.steps, search.result["visited"]
    (2, {0: True, 1: True, 2: True, 3: True})
    >>> execute("bfs", nx.path_graph(4), source=7)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    algolens.errors.UnknownNameError: no node is called '7'; there are: 0, 1, 2, 3.
    Name a node of the graph as source.
    """
    if source is not None:
        inputs["source"] = source
    if options is not None and not isinstance(options, Mapping):
        raise AlgoLensError(
            f"options= came as a {type(options).__name__}: give a dictionary, as in {{'colors': "
            "7}."
        )
    (execution,) = executions(
        [algorithm],
        graph,
        by=() if by is None else (By.read(by),),
        inputs=inputs,
        options=options,
        nodes=nodes,
        directed=directed,
        seed=SEED.check(seed, "seed"),
        places=None if round is None else PLACES.check(round, "the decimals to round to"),
        set_by_hand=set,
        trace=trace,
        engine=None if engine is None else find_engine(engine),
    )
    if check and not execution.agrees:
        warn(AlgoLensWarning(execution.first_difference), stacklevel=2)
    if execution.cut_short is not None:
        warn(AlgoLensWarning(execution.cut_short), stacklevel=2)
    return execution


def executions(
    algorithms: Sequence[Any],
    given: Sequence[Any],
    *,
    inputs: Mapping[str, Any],
    trace: bool = True,
    engine: Engine | None = None,
    tell: Tell | None = None,
    **settings: Any,
) -> list[Execution]:
    """Run one or more algorithms on one graph, each in one or more ways.

    All runs share what is drawn at random; each input goes to the algorithms that have it.

    Parameters
    ----------
    algorithms, given
        As in ``execute``; without a graph, all run on the first algorithm's example.
    inputs : mapping
        Graph-level inputs.
    trace : bool
        Whether to keep every step, or only the last.
    engine : Engine, optional
        A database that runs them.
    tell : callable, optional
        Called after each step of a database.
    **settings
        Further arguments of ``make_task``.
    """
    subjects = [find_subject(one) for one in algorithms]
    known = [find_way(one, one.usual, {}).algorithm.declaration.inputs for one in subjects]
    anywhere = set().union(*known)
    done: list[Execution] = []
    first: Task | None = None
    for subject, own in zip(subjects, known, strict=True):
        of_it = {name: inputs[name] for name in inputs if name in own or name not in anywhere}
        task = make_task(subject, given, inputs=of_it, **settings)
        given = given or task.algorithm.example.split()
        first = first or task
        task = task if task is first else task.with_inputs_of(first)
        done += task.run(trace=trace, engine=engine, tell=tell)
    return done


def play(
    *executions: Any, height: int = HEIGHT, around: Hashable | None = None, **arguments: Any
) -> Any:
    """Play one run, or several runs on one graph side by side, with the reason for each step.

    ``execution.save_html(path)`` writes the page to a file instead.

    Parameters
    ----------
    *executions : Execution
        One or more results of ``al.execute``; or an algorithm and a graph to run it on.
    height : int
        Height of the frame in a notebook, in pixels.
    around : hashable, optional
        A node around which to show part of a large graph. By default, the whole graph is shown if a
        browser can display it.
    **arguments
        Further arguments of ``al.execute``, if an algorithm and a graph are given.

    Returns
    -------
    object
        In a notebook (Jupyter, VS Code, marimo), a ``Frame`` that the notebook displays; elsewhere,
        the path of the page, which opens in a browser.

    Examples
    --------
    >>> search = execute("bfs", "grid:9", source="0")
    >>> page = play(search)  # doctest: +SKIP
    """
    given: list[Any] = []
    is_named = executions and not isinstance(executions[0], Execution | list | tuple)
    if is_named:
        executions = (execute(*executions, **arguments),)
    elif arguments:
        names = ", ".join(f"{name}=" for name in arguments)
        raise AlgoLensError(
            f"{names} came with runs that are done: give it to al.execute, or give al.play an "
            "algorithm and a graph."
        )
    for some in executions:
        given += some if isinstance(some, list | tuple) else [some]
    if not given or not all(isinstance(one, Execution) for one in given):
        came = ", ".join(type(one).__name__ for one in given) or "nothing"
        raise AlgoLensError(f"al.play takes one or more results of al.execute; got {came}.")
    first, *others = given
    if any(other.run.algorithm != first.run.algorithm for other in others):
        raise AlgoLensError(
            "runs that stand side by side are of one algorithm with the same options; beside a "
            "network's run, play its truth: al.play(execution, execution.truth)."
        )
    if in_notebook():
        page = first.page(*others, compact=True, around=around)
        return Frame(page, height, first.picture())
    return open_page(first.page(*others, around=around), first.algorithm)[0]


def open_page(page: str, name: str, path: Path | None = None) -> tuple[Path, bool]:
    """Write a page and open it; return its path and whether a browser opened."""
    place = path or Path(tempfile.mkdtemp(prefix="algolens-")) / f"{name}.html"
    player.write_page(place, page)
    return place, webbrowser.open(place.resolve().as_uri())


def execute_parquet(
    algorithm: AnyPath | Algorithm | type[Algorithm] | Program,
    edges: AnyPath,
    out: AnyPath,
    *,
    engine: str | Engine = "duckdb",
    nodes: AnyPath | None = None,
    directed: bool | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    tell: Tell | None = None,
    **inputs: Any,
) -> ParquetRun:
    """Run an algorithm on a graph in Parquet files, which need not fit into memory.

    Parameters
    ----------
    algorithm : str, path, Algorithm, its class or Program
        A name (``al.list_algorithms()``), or a program or its file.
    edges : path
        A Parquet file or folder with columns source and target, and a column for each input at
        edges. Nodes are integers or strings; numbers are integers.
    out : path
        A new folder for Parquet files with a row for each node (or edge) and a column for each
        output.
    engine : str or Engine
        ``duckdb``, ``spark``, or one with options, such as ``al.DuckDB(memory="2GB")``.
    nodes : path, optional
        A Parquet file or folder with a column node, and a column for each input at nodes.
    directed : bool, optional
        Whether edges are directed from source to target; by default, they are undirected.
    options : mapping, optional
        Options of the algorithm, such as ``{"k": 3}``.
    seed : int
        Seed for inputs that the tables lack, such as priorities.
    tell : callable, optional
        Callback after each step, with its number and duration in seconds.
    **inputs : object
        Graph-level inputs, such as ``source``.

    Returns
    -------
    ParquetRun
        The number of steps, why the run ended, and the results about the whole graph.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pyarrow import parquet
    >>> folder = Path(tempfile.mkdtemp())
    >>> edges = pa.table({"source": [0, 1, 2], "target": [1, 2, 3]})
    >>> parquet.write_table(edges, folder / "edges.parquet")
    >>> run = execute_parquet("bfs", folder / "edges.parquet", folder / "out", source=0)
    >>> run.steps, parquet.read_table(run.out).column_names
    (3, ['node', 'visited'])
    """
    chosen = find_engine(engine)
    subject = find_subject(algorithm)
    way = find_way(subject, By.ALGORITHM, options or {})
    check_engine(chosen, subject.usual, way.algorithm)
    _named_inputs(way.algorithm, inputs)  # where it has none of a name
    return run_on_parquet(
        chosen,
        way.algorithm,
        Path(edges),
        Path(out),
        nodes=None if nodes is None else Path(nodes),
        directed=directed,
        arguments=inputs,
        seed=seed,
        tell=tell,
    )
