"""What `algolens execute` and `algolens play` are asked to run: read, checked, and carried out in one way or in several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text
from torch import Tensor

from algolens.algorithms import Algorithm, algorithms
from algolens.algorithms import algorithm as find
from algolens.cli.interventions import never_came, read_interventions
from algolens.cli.options import check_options, read_options
from algolens.cli.output import remarks
from algolens.cli.programs import find_program, is_program
from algolens.cli.runs import find_run
from algolens.errors import AlgoLensError, GraphError, UnknownNameError
from algolens.evaluation import Mistake, first_mistakes, rule_parts
from algolens.execution import Intervention, execute_trusted
from algolens.experiment import TrainedRun, shipped_folder
from algolens.extraction import warnings
from algolens.graphs import FAMILIES, Graph, load, stream
from algolens.logic import Program
from algolens.models import NetworkParts
from algolens.reports.player import Side, Sureness


class By(Enum):
    """What carries the algorithm out."""

    ALGORITHM = "algorithm"
    NETWORK = "network"
    RULES = "rules"  # over the concepts that the network sees, as in `algolens evaluate`
    RULES_ALONE = "rules-alone"  # over the algorithm's own concepts: no network has a part in it


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
class Task:
    """An algorithm on a graph with its inputs, to be carried out in one way or in several."""

    algorithm: Algorithm
    graph: Graph
    inputs: Mapping[str, Tensor]
    sides: Mapping[str, tuple[Mapping[str, Any], Program]]  # by what: the loop's sockets, and the rules that say why
    interventions: Sequence[Intervention]
    set_by_hand: Sequence[str]
    notes: Sequence[str]

    def is_the_algorithm(self, by: str) -> bool:
        return by == By.ALGORITHM.value and not self.interventions

    def run(self, *, trace: bool) -> list[Side]:
        """Every side; each but the algorithm itself is compared with it, step by step."""
        found, truth = [], None
        for by, (sockets, program) in self.sides.items():
            keeps = trace or not self.is_the_algorithm(by)
            sureness = Sureness()
            parts = sureness.noting(sockets)
            run = execute_trusted(
                self.algorithm, self.graph, self.inputs, **parts, interventions=self.interventions, trace=keeps
            )
            mistakes: list[Mistake] = []
            if not self.is_the_algorithm(by):
                truth = truth or execute_trusted(self.algorithm, self.graph, self.inputs)
                mistakes = first_mistakes(run, truth)[1]
            found.append(Side(by, run, program, mistakes[0] if mistakes else None, sureness.noted))
        for note in [*self.notes, *never_came(list(self.set_by_hand), list(self.interventions), found[0].run.num_steps)]:
            remarks.print(Text(f"note: {note}", style="dim"))
        return found


def read_task(
    context: typer.Context,
    name: str,
    graph: str,
    nodes: Path | None,
    directed: bool | None,
    source: str | None,
    by: list[By],
    given: list[str],
    option: list[str],
    set_by_hand: list[str],
    seed: int,
) -> Task:
    """What a command asks for, read and checked."""
    by = by or [By.ALGORITHM if name in algorithms() or is_program(name) else By.NETWORK]
    trained = cache(partial(find_run, name))  # which is loaded once, and only where it is asked for
    parts = {each.value: _parts(name, each, read_options(option), trained) for each in by}
    # a network keeps its options, and what stands beside it has the same
    chosen = next((found for found, sockets, _ in parts.values() if sockets), next(iter(parts.values()))[0])
    arguments = _arguments(chosen, source, [*given, *_options_by_name(context.args, chosen)])
    is_drawn = graph.partition(":")[0] in FAMILIES
    if is_drawn and directed is None:
        directed = chosen.recipe.directed
    loaded = load(graph, seed, nodes, directed=directed)
    chosen = _with_room(chosen, loaded, is_network=any(sockets for _, sockets, _ in parts.values()))
    inputs, notes = chosen.read(loaded, stream(seed, "inputs", chosen.name), draw_all=is_drawn, **arguments)
    interventions = read_interventions(set_by_hand, chosen, loaded)
    sides = {each: (sockets, program) for each, (_, sockets, program) in parts.items()}
    return Task(chosen, loaded, inputs, sides, interventions, set_by_hand, notes)


def _parts(
    name: str, by: By, options: dict[str, int], find_trained: Callable[[], TrainedRun]
) -> tuple[Algorithm, dict[str, Any], Program]:
    """The algorithm, what goes into the loop's sockets in its place, and the rules that say why."""
    if is_program(name):
        return _written(name, by, options)
    if name not in algorithms() and not Path(name).is_dir():
        raise UnknownNameError("algorithm", name, algorithms())
    if by is By.ALGORITHM and name in algorithms():
        check_options(options, find(name))
        chosen = find(name, **options)
        return chosen, {}, chosen.declaration.program
    if name in algorithms() and shipped_folder(name) is None and not Path(name).is_dir():
        raise AlgoLensError(f"no model ships for {name}: train one (`algolens train {name}`) and give its folder.")
    trained = find_trained()
    chosen = trained.network.algorithm
    if options:
        raise AlgoLensError(
            f"a network keeps the options that it was trained with ({_options_in_words(chosen)}): leave out --option."
        )
    own = chosen.declaration.program if trained.programs is None else trained.programs[0]
    if trained.programs is None and trained.experiment.architecture.bottleneck and by is By.NETWORK:
        remarks.print(Text("note: no rules of this network are here; 'because' goes by the algorithm's own.", style="dim"))
    if by is By.NETWORK:
        return chosen, NetworkParts(trained.network.only(0)).sockets, own
    if by is By.ALGORITHM:
        return chosen, {}, chosen.declaration.program
    if trained.programs is None:
        raise AlgoLensError(
            f"{name}: no rules were drawn from these weights (without a bottleneck there are none): draw them with `algolens "
            f"explain {name} --redraw`, or run it by network."
        )
    sockets = rule_parts(trained.network.only(0), own)
    if by is By.RULES_ALONE:
        del sockets["perceive"]
    return chosen, sockets, own


def _written(name: str, by: By, options: dict[str, int]) -> tuple[Algorithm, dict[str, Any], Program]:
    """A program from a file, which is run as it is."""
    if by is not By.ALGORITHM:
        raise AlgoLensError(f"--by {by.value}: {name} is a program, and no network is beside it. Leave it out.")
    if options:
        raise AlgoLensError(f"--option: the program in {name} is as it was written. Leave it out.")
    program = find_program(name)
    for remark in warnings(program.remarks):
        remarks.print(Text(f"note: {remark}", style="dim"), soft_wrap=True)
    return program.algorithm, {}, program.rules


def _with_room(algorithm: Algorithm, graph: Graph, *, is_network: bool) -> Algorithm:
    """The algorithm with bits for all numbers of a graph; a network has those that it was trained with."""
    roomy = algorithm.with_room_for(graph)
    if is_network and roomy != algorithm:
        raise GraphError(
            f"this graph needs numbers of {roomy.options['bits']} bits, and the network reads {algorithm.options['bits']}: "
            f"train one with `algolens train {algorithm.name} --preset exact --option bits={roomy.options['bits']}`."
        )
    return roomy


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


def _options_in_words(algorithm: Algorithm) -> str:
    return ", ".join(f"{name}={value}" for name, value in algorithm.options.items()) or "none"


def _no_source(algorithm: Algorithm) -> str:
    having = [name for name, other in algorithms().items() if "source" in other().declaration.inputs]
    owner = f"it is an input of {', '.join(having)}" if having else "no algorithm has one"
    return f"--source: {algorithm.name} has no source, {owner}. Leave it out."
