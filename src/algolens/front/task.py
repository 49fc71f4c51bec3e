"""What is to be run, and how: an algorithm by itself, by a network, or by rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

from algolens.algorithms import (
    Algorithm,
    algorithm_in_file,
    algorithms,
    shipped_folder,
    unknown_algorithm,
    variants,
)
from algolens.algorithms import algorithm as find_algorithm
from algolens.arrays import NUMPY, Array, flatnonzero
from algolens.engines import Run, run_algorithm
from algolens.engines.needs import check_run, check_size
from algolens.engines.parts import Sureness
from algolens.engines.program import Program
from algolens.engines.sql import Engine, on_steps, run_in_tables
from algolens.errors import (
    AlgoLensError,
    AlgoLensWarning,
    DefinitionError,
    GraphError,
    UnknownNameError,
)
from algolens.evaluation.rightness import Mistake, first_mistakes
from algolens.front import By
from algolens.front.arguments import Setting, never_came, read_settings
from algolens.front.execution import Execution
from algolens.graphs import Graph, NamedGraph, read_graph, stream
from algolens.graphs.family_sizes import size_in_words
from algolens.language.fields import Number
from algolens.language.fields.values import rounding_offered
from algolens.language.scales import places_in_bits, round_inputs
from algolens.lazy import is_instance
from algolens.logic.remarks import warnings
from algolens.logic.rule_set import RuleSet
from algolens.memory import phase

if TYPE_CHECKING:
    from algolens.engines.sql.engine import Tell
    from algolens.experiment.model import Model

SMALLER = "give a smaller graph, or allow more with --max-memory (in Python, ALGOLENS_MAX_MEMORY)"


@dataclass(frozen=True, eq=False)
class Subject:
    """What a user names to be run: an algorithm, a model, or a program that stands alone."""

    name: str
    algorithm: Algorithm | None = None
    find_model: Callable[[], Model] | None = None  # loads it, where there is one
    program: Program | None = None

    @property
    def usual(self) -> By:
        """What carries it out unless a user says otherwise."""
        return By.NETWORK if self.algorithm is None and self.program is None else By.ALGORITHM


def find_subject(given: object) -> Subject:
    """What a user names: an algorithm, a model or a program; itself, its name or where it lies."""
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
    if name in algorithms() or name in variants():
        return Subject(name, find_algorithm(name), _model_beside(name))
    if not Path(name).is_dir():
        raise unknown_algorithm(name)
    return Subject(name, find_model=cache(partial(_load, name)))


def _model_beside(name: str) -> Callable[[], Model] | None:
    """The model that ships for an algorithm, or the one in a folder of that name."""
    is_there = shipped_folder(name) is not None or Path(name).is_dir()
    return cache(partial(_load, name)) if is_there else None


def _load(name: str) -> Model:
    from algolens.experiment.model import load_model

    return load_model(name, certified=False)


@dataclass(frozen=True, eq=False)
class Way:
    """One way to carry an algorithm out."""

    by: By
    algorithm: Algorithm
    sockets: Mapping[str, Any]  # what takes the algorithm's place in the loop
    rule_set: RuleSet  # whose rules say why
    notes: tuple[str, ...] = ()  # what the user should know


def find_way(subject: Subject, by: By, options: Mapping[str, Any]) -> Way:
    """How a subject is carried out in a way. options: of the algorithm, where not as they are."""
    program, algorithm = subject.program, subject.algorithm
    if program is not None:
        _check_program(subject.name, by, options)
        return Way(by, program.algorithm, {}, program.rules, tuple(warnings(program.remarks)))
    if by is By.ALGORITHM and algorithm is not None:
        algorithm = with_options(algorithm, options)
        return Way(by, algorithm, {}, algorithm.declaration.rule_set)
    if subject.find_model is None:
        raise AlgoLensError(
            f"no model ships for {subject.name}: train one (`algolens train {subject.name}`, or "
            "al.train in Python) and give that."
        )
    from algolens.evaluation import rule_parts
    from algolens.models import NetworkParts

    trained = subject.find_model()
    algorithm, notes = trained.network.algorithm, trained.notes
    declared = algorithm.declaration.rule_set
    if options:
        given = ", ".join(f"{name}={value}" for name, value in algorithm.options.items()) or "none"
        raise AlgoLensError(
            f"a network keeps the options that it was trained with ({given}): leave the options "
            "out."
        )
    if by is By.ALGORITHM:
        return Way(by, algorithm, {}, declared, notes)
    own = declared if trained.rule_sets is None else trained.rule_sets[0]
    # where the user's graph is; after a training it may be on a GPU
    network = trained.network.only(0).cpu()
    if by is By.NETWORK:
        if trained.rule_sets is None and trained.experiment.architecture.bottleneck:
            without = "no rules of this network are here; 'because' goes by the algorithm's own."
            notes = (*notes, without)
        sockets = NetworkParts(network).sockets
        return Way(by, algorithm, sockets, own, notes)
    if trained.rule_sets is None:
        without = (
            f"{subject.name}: no rules were drawn from these weights (without a bottleneck there "
            f"are none): draw them with `algolens explain {subject.name} --redraw`, or run it by "
            "network."
        )
        raise AlgoLensError(" ".join([*notes, without]))
    return Way(by, algorithm, rule_parts(network, own), own, notes)


def _check_program(name: str, by: By, options: Mapping[str, Any]) -> None:
    """Refuses what a program cannot be asked for: it is run as it is."""
    if by is not By.ALGORITHM:
        raise AlgoLensError(
            f"by {by.value}: {name} is a program, and no network is beside it. Leave it out."
        )
    if options:
        raise AlgoLensError(
            f"option {next(iter(options))}: the program {name} is as it was written. Leave it out."
        )


def with_options(algorithm: Algorithm, options: Mapping[str, Any]) -> Algorithm:
    """The algorithm with other options, where it has them."""
    for name, value in options.items():
        if not algorithm.options:
            raise AlgoLensError(f"option {name}: {algorithm.name} has no options. Leave it out.")
        if name not in algorithm.options:
            raise UnknownNameError(f"option of {algorithm.name}", name, algorithm.options)
        if not isinstance(value, bool):
            algorithm.range_of(name).check(value, f"option {name} of {algorithm.name}")
    if not options:
        return algorithm
    given = {
        name: value if isinstance(value, bool) else int(value) for name, value in options.items()
    }
    said = ", ".join(f"{name}={value}" for name, value in given.items())
    try:
        return algorithm.but(**given)
    except DefinitionError as problem:
        raise AlgoLensError(
            f"{algorithm.name} cannot have {said}: {problem} Give other options."
        ) from problem


@dataclass(frozen=True, eq=False)
class Task:
    """An algorithm on a graph with its inputs, to be carried out in one way or in several."""

    subject: str  # what the user named
    algorithm: Algorithm
    given: NamedGraph
    inputs: Mapping[str, Array]
    ways: Sequence[Way]
    settings: Sequence[Setting]  # concepts that are set by hand
    notes: tuple[str, ...]
    seed: int  # for what is drawn at random

    def with_inputs_of(self, other: Task) -> Task:
        """The same with the inputs that another task has too, so that both are of one graph."""
        theirs = other.algorithm.declaration.inputs
        shared = {}
        for name, field in self.algorithm.declaration.inputs.items():
            known, values = theirs.get(name), other.inputs.get(name)
            if known is None or values is None or known.location is not field.location:
                continue
            if isinstance(field.kind, Number) and isinstance(known.kind, Number):
                low, most = max(field.kind.low, field.kind.least), field.kind.most
                wrong = flatnonzero((values < low) | (values > most))
                if len(wrong):
                    raise AlgoLensError(
                        f"{name} {int(values[wrong[0]])} was drawn for {other.algorithm.name}, and "
                        f"{self.algorithm.name} takes {low} to {most}: give a graph that carries "
                        f"a {name}, or name {self.algorithm.name} first."
                    )
                shared[name] = values
            elif known.kind == field.kind:
                shared[name] = values
        inputs = {**self.inputs, **shared}
        self.algorithm.check(self.given.graph, inputs)
        return replace(self, inputs=inputs)

    @cached_property
    def truth(self) -> Run:
        """The run of the algorithm itself, with nothing set by hand."""
        return run_algorithm(self.algorithm, self.given.graph, self.inputs, check=False)

    def _first_mistake(self, run: Run) -> Mistake | None:
        with phase(f"running {self.algorithm.name} to compare with it", SMALLER):
            return next(iter(first_mistakes(run, self.truth)[1]), None)

    def run(
        self, *, trace: bool, engine: Engine | None = None, tell: Tell | None = None
    ) -> list[Execution]:
        """Carries it out in each way.

        A run is compared with the algorithm itself once its ``mistake`` is asked for.

        Parameters
        ----------
        trace : bool
            Keep every step, also where nothing is compared.
        engine : Engine, optional
            A database that carries it out.
        tell : callable, optional
            Called after each step of a database.
        """
        by_hand = tuple(setting.intervention for setting in self.settings)
        if engine is not None and by_hand:
            raise AlgoLensError(
                f"concepts are set by hand step by step, which engine {engine.name} does not do: "
                "leave --set (in Python, set=) or the engine out."
            )
        executions = []
        for way in self.ways:
            is_true = way.by is By.ALGORITHM and not self.settings
            sureness = Sureness(self.algorithm.declaration.concepts)
            if engine is not None:
                check_engine(engine, way.by, self.algorithm)
                program, graph = Program.of(self.algorithm), self.given.graph
                run = run_in_tables(engine, program, self.algorithm, graph, self.inputs, tell)
            else:
                with phase(f"running {self.algorithm.name} by {way.by.value}", SMALLER):
                    run = run_algorithm(
                        self.algorithm,
                        self.given.graph,
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
        late = never_came(self.settings, executions[0].steps)
        cut = filter(None, (each.cut_short for each in executions))
        notes = (*self.notes, *late, *cut)
        return [replace(each, notes=notes) for each in executions]


def check_engine(engine: Engine, by: By, algorithm: Algorithm) -> None:
    """Refuses a network: a database carries out programs; warns of one that takes many steps."""
    if by is not By.ALGORITHM:
        raise AlgoLensError(
            f"by {by.value}: engine {engine.name} carries out programs. Leave it out; or save the "
            "rules of a network with `algolens explain MODEL --save rules.json`, and run that file."
        )
    unsuited = on_steps(Program.of(algorithm))
    if unsuited is not None:
        warn(AlgoLensWarning(unsuited), stacklevel=2)


def make_task(
    subject: Subject,
    graph: Any,
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
    """What a user asks for, read and checked.

    inputs: those that the whole graph has one of. places: the decimals to which numbers are
    rounded. set_by_hand: concepts by name, as ``al.execute`` takes them.
    """
    ways = [find_way(subject, word, options or {}) for word in by or [subject.usual]]
    # a network keeps its options, and what stands beside it has the same
    network = next((way for way in ways if way.sockets), None)
    chosen = (network or ways[0]).algorithm
    given_inputs = _named_inputs(chosen, inputs or {})
    size = size_in_words(graph)
    if size is not None and chosen.table is None:
        check_size(chosen, *size)
    given = read_graph(
        graph, nodes, directed=directed, seed=seed, by_default=chosen.recipe.directed
    )
    given = given.on_cells(chosen.on_cells(given.graph), chosen.table)
    on_rounding: list[str] = []
    if places is not None:
        graph, given_inputs, on_rounding = round_inputs(chosen, given.graph, given_inputs, places)
        given = replace(given, graph=graph)
    roomy = chosen.with_room_for(given.graph)
    if network is not None and roomy != chosen:
        raise GraphError(_without_room(chosen, roomy, given.graph))
    check_run(roomy, given.graph)
    rng = stream(seed, "inputs", roomy.name)
    read, on_inputs = roomy.read(given.graph, rng, draw_all=given.is_drawn, **given_inputs)
    settings = read_settings(set_by_hand or {}, roomy, given.graph)
    on_ways = [note for way in ways for note in way.notes]
    notes = tuple(dict.fromkeys([*on_ways, *on_rounding, *on_inputs]))
    return Task(subject.name, roomy, given, read, ways, settings, notes, seed)


def _named_inputs(algorithm: Algorithm, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs of the whole graph, nodes by their names."""
    known = algorithm.declaration.inputs
    for name in inputs:
        if name not in known:
            raise UnknownNameError(f"input of {algorithm.name}", name, known)
    return {
        name: str(value) if known[name].kind.points_to else value for name, value in inputs.items()
    }


def _without_room(network: Algorithm, roomy: Algorithm, graph: Graph) -> str:
    """Why a network of too few bits does not run on a graph, and what helps."""
    bits, has = roomy.options["bits"], network.options["bits"]
    places = places_in_bits(network, graph)
    rounding = "" if places is None else f"{rounding_offered(places)}, or "
    return (
        f"this graph needs numbers of {bits} bits, and the network reads {has}: {rounding}train "
        f"one with `algolens train {network.name} --preset exact --option bits={bits}`."
    )
