"""What is to be run, and how: an algorithm by itself, by a network, or by rules; carried out in one
way or in several.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from torch import Tensor

from algolens.algorithms import Algorithm, algorithms
from algolens.errors import AlgoLensError, DefinitionError, GraphError, UnknownNameError
from algolens.evaluation import compared_fields, first_mistakes, rule_parts
from algolens.evaluation.rightness import Mistake
from algolens.execution import Intervention, Run, run_trusted
from algolens.execution.sureness import Sureness
from algolens.experiment import TrainedModel, load_model, shipped_folder
from algolens.front.arguments import Setting, never_came, whole_number
from algolens.front.by import By
from algolens.front.given_graph import GivenGraph, read_graph
from algolens.graphs import Graph, Location, stream
from algolens.logic.remarks import warnings
from algolens.logic.rule_set import RuleSet
from algolens.models import NetworkParts
from algolens.player.data import Side
from algolens.programs import Program
from algolens.terminal.outcome import count_in_words


@dataclass(frozen=True, eq=False)
class Subject:
    """What a user names to be run: an algorithm, a network that was trained for one, or a program
    that stands alone.
    """

    name: str
    algorithm: Algorithm | None = None
    find_run: Callable[[], TrainedModel] | None = None  # loads it, where there is one
    program: Program | None = None

    @property
    def usual(self) -> By:
        """What carries it out unless a user says otherwise."""
        return By.NETWORK if self.algorithm is None and self.program is None else By.ALGORITHM


def find_subject(given: object, load: Callable[[str], TrainedModel] = load_model) -> Subject:
    """What a user names: an algorithm (a name, itself, its class), a run (a folder, itself) or a
    program (a file, itself).

    load: how a run is loaded, once and only where it is asked for.
    """
    if isinstance(given, type) and issubclass(given, Algorithm):
        given = given()
    if isinstance(given, Algorithm):
        is_known = algorithms().get(given.name) is type(given)
        return Subject(given.name, given, _shipped(given.name, load) if is_known else None)
    if isinstance(given, Program):
        return Subject(given.name, program=given)
    if isinstance(given, TrainedModel):
        return Subject(given.experiment.algorithm, find_run=lambda: given)
    if not isinstance(given, str | os.PathLike):
        raise AlgoLensError(
            "an algorithm is a name, an Algorithm (or its class), a model, the folder of a run, "
            f"or a program; a {type(given).__name__} came."
        )
    name = os.fspath(given)
    if is_program(name):
        return Subject(name, program=Program.load(Path(name)))
    if name in algorithms():
        return Subject(name, algorithms()[name](), _shipped(name, load))
    if not Path(name).is_dir():
        raise UnknownNameError("algorithm", name, algorithms())
    return Subject(name, find_run=cache(partial(load, name)))


def is_program(name: str) -> bool:
    """Whether a name is that of a file that a program may be in."""
    return name.endswith(".json") and not Path(name).is_dir()


def _shipped(name: str, load: Callable[[str], TrainedModel]) -> Callable[[], TrainedModel] | None:
    """The model that ships for an algorithm, or the run in a folder of that name."""
    is_there = shipped_folder(name) is not None or Path(name).is_dir()
    return cache(partial(load, name)) if is_there else None


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
    if subject.program is not None:
        return _written(subject, subject.program, by, options)
    if by is By.ALGORITHM and subject.algorithm is not None:
        chosen = with_options(subject.algorithm, options)
        return Way(by, chosen, {}, chosen.declaration.rule_set)
    if subject.find_run is None:
        raise AlgoLensError(
            f"no model ships for {subject.name}: train one (`algolens train {subject.name}`, or "
            "al.train in Python) and give that."
        )
    trained = subject.find_run()
    chosen, notes = trained.network.algorithm, list(trained.notes)
    if options:
        given = ", ".join(f"{name}={value}" for name, value in chosen.options.items()) or "none"
        raise AlgoLensError(
            f"a network keeps the options that it was trained with ({given}): leave the options "
            "out."
        )
    own = chosen.declaration.rule_set if trained.rule_sets is None else trained.rule_sets[0]
    if (
        trained.rule_sets is None
        and trained.experiment.architecture.bottleneck
        and by in (By.NETWORK, By.LAYERS)
    ):
        notes.append("no rules of this network are here; 'because' goes by the algorithm's own.")
    # where the user's graph is; after a training it may be on a GPU
    network = trained.network.only(0).cpu()
    if by in (By.NETWORK, By.LAYERS):
        return Way(
            by, chosen, NetworkParts(network, by_layers=by is By.LAYERS).sockets, own, tuple(notes)
        )
    if by is By.ALGORITHM:
        return Way(by, chosen, {}, chosen.declaration.rule_set, tuple(notes))
    if trained.rule_sets is None:
        raise AlgoLensError(
            f"{subject.name}: no rules were drawn from these weights (without a bottleneck there "
            f"are none): draw them with `algolens explain {subject.name} --redraw`, or run it by "
            "network."
        )
    sockets = rule_parts(network, own)
    if by is By.RULES_ALONE:
        del sockets["perceive"]
    return Way(by, chosen, sockets, own, tuple(notes))


def _written(subject: Subject, program: Program, by: By, options: Mapping[str, Any]) -> Way:
    """A program, which is run as it is."""
    if by is not By.ALGORITHM:
        raise AlgoLensError(
            f"by {by.value}: {subject.name} is a program, and no network is beside it. Leave it "
            "out."
        )
    if options:
        raise AlgoLensError(
            f"option {next(iter(options))}: the program {subject.name} is as it was written. Leave "
            "it out."
        )
    return Way(by, program.algorithm, {}, program.rules, tuple(warnings(program.remarks)))


def with_options(algorithm: Algorithm, options: Mapping[str, Any]) -> Algorithm:
    """The algorithm with other options, where it has them."""
    for name, value in options.items():
        if not algorithm.options:
            raise AlgoLensError(f"option {name}: {algorithm.name} has no options. Leave it out.")
        if name not in algorithm.options:
            raise UnknownNameError(f"option of {algorithm.name}", name, algorithm.options)
        if not isinstance(value, bool) and whole_number(value) is None:
            raise AlgoLensError(
                f"option {name} of {algorithm.name} is {value!r}: give a whole number, or True or "
                "False."
            )
    if not options:
        return algorithm
    given = {
        name: value if isinstance(value, bool) else whole_number(value)
        for name, value in options.items()
    }
    said = ", ".join(f"{name}={value}" for name, value in given.items())
    try:
        return replace(algorithm, **given)  # type: ignore[type-var]
    except DefinitionError as problem:
        raise AlgoLensError(
            f"{algorithm.name} cannot have {said}: {problem} Give other options."
        ) from problem
    except RecursionError as problem:  # the rules' formulas are as deep as an option says
        raise AlgoLensError(
            f"{algorithm.name} cannot have {said}: its rules would be too long. Give smaller ones."
        ) from problem


@dataclass(frozen=True, eq=False)
class Task:
    """An algorithm on a graph with its inputs, to be carried out in one way or in several."""

    algorithm: Algorithm
    given: GivenGraph
    inputs: Mapping[str, Tensor]
    ways: Sequence[Way]
    settings: Sequence[Setting]
    notes: tuple[str, ...]

    @property
    def graph(self) -> Graph:
        """The graph as it was read."""
        return self.given.graph

    @property
    def interventions(self) -> list[Intervention]:
        """The concepts that are set by hand."""
        return [each.intervention for each in self.settings]

    def is_the_algorithm(self, by: str) -> bool:
        """Whether a side is the algorithm itself, with which the others are compared."""
        return by == By.ALGORITHM.value and not self.settings

    @cached_property
    def truth(self) -> Run:
        """The run of the algorithm itself, with nothing set by hand."""
        return run_trusted(self.algorithm, self.graph, self.inputs)

    def run(self, *, trace: bool) -> list[Side]:
        """Every side; each but the algorithm itself is compared with it, step by step. trace: keep
        every step anyway.
        """
        found = []
        for way in self.ways:
            is_true = self.is_the_algorithm(way.by.value)
            sureness = Sureness()
            run = run_trusted(
                self.algorithm,
                self.graph,
                self.inputs,
                **sureness.noting(way.sockets),
                interventions=self.interventions,
                trace=trace or not is_true,
            )
            mistakes = [] if is_true else first_mistakes(run, self.truth)[1]
            found.append(
                Side(
                    way.by.value,
                    run,
                    way.rule_set,
                    mistakes[0] if mistakes else None,
                    sureness.noted,
                )
            )
        return found

    def remarks(self, sides: Sequence[Side]) -> list[str]:
        """What the user should know of it, once it has run."""
        cut = [note for side in sides for note in cut_short(side)]
        return [*self.notes, *never_came(self.settings, sides[0].run.num_steps), *cut]


def make_task(
    subject: Subject,
    graph: Any,
    *,
    by: Sequence[By] = (),
    options: Mapping[str, Any] | None = None,
    nodes: Any = None,
    directed: bool | None = None,
    seed: int = 0,
    arguments: Callable[[Algorithm], Mapping[str, Any]] = lambda _: {},
    settings: Callable[[Algorithm, Graph], Sequence[Setting]] = lambda *_: (),
) -> Task:
    """What a user asks for, read and checked.

    arguments, settings: inputs that the whole graph has one of, and concepts set by hand, once the
    algorithm (and the graph) are known.
    """
    ways = [find_way(subject, each, options or {}) for each in by or [subject.usual]]
    # a network keeps its options, and what stands beside it has the same
    network = next((way for way in ways if way.sockets), None)
    chosen = (network or ways[0]).algorithm
    given_inputs = arguments(chosen)
    given = read_graph(
        graph, nodes, directed=directed, seed=seed, by_default=chosen.recipe.directed
    )
    chosen = _with_room(chosen, given.graph, is_network=network is not None)
    rng = stream(seed, "inputs", chosen.name)
    inputs, said = chosen.read(given.graph, rng, draw_all=given.is_drawn, **given_inputs)
    notes = dict.fromkeys([*(note for way in ways for note in way.notes), *said])
    return Task(chosen, given, inputs, ways, settings(chosen, given.graph), tuple(notes))


def _with_room(algorithm: Algorithm, graph: Graph, *, is_network: bool) -> Algorithm:
    """The algorithm with bits for all numbers of a graph; a network has those that it was trained
    with.
    """
    roomy = algorithm.with_room_for(graph)
    if is_network and roomy != algorithm:
        raise GraphError(
            f"this graph needs numbers of {roomy.options['bits']} bits, and the network reads "
            f"{algorithm.options['bits']}: train one with `algolens train {algorithm.name} "
            f"--preset exact --option bits={roomy.options['bits']}`."
        )
    return roomy


def cut_short(side: Side) -> list[str]:
    """What to tell the user of a run that asks for more steps than it may take."""
    if not side.run.is_cut_short[0]:
        return []
    most = count_in_words(side.run.num_steps, "step")
    return [
        (
            f"by {side.by}, it is cut short after {most}, the most it may take, though it asks for "
            "more: outputs are not final."
        )
    ]


def verdict(run: Run, first: Mistake | None) -> str:
    """Whether a run is the algorithm's, step by step, in a sentence."""
    if first is None:
        return (
            "It agrees with the algorithm in every step. Compared are "
            f"{', '.join(compared_fields(run))}."
        )
    where = (
        "the graph"
        if first.element is None
        else f"{first.at} {run.graph.name_at(Location(first.at), first.element)}"
    )
    return (
        f"It first differs from the algorithm at step {first.step}: {first.field} of {where} is "
        f"{first.found}, and {first.true} by the algorithm."
    )
