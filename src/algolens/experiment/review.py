"""An algorithm looked over, before any training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from inspect import getmodule, isfunction
from itertools import product

from algolens.algorithms import Algorithm
from algolens.algorithms._algorithm import METHODS
from algolens.certification import unproven_methods
from algolens.certification.proof import most_cases
from algolens.data import GraphSet
from algolens.errors import AlgoLensError
from algolens.evaluation.reference import Agreement, agreement
from algolens.execution import Run, run_algorithm
from algolens.experiment.check import objections, without_objection
from algolens.experiment.config import preset
from algolens.graphs import Graph, sample, stream
from algolens.looks.by_change.plan import ObservationPlan
from algolens.programs import Program

CLOSE = 0.8  # how much alike names are, from 0 to 1, of which one may be meant by the other
SIZES = (2, 5, 8, 12)  # nodes of the graphs that an algorithm is tried on
EACH = 5  # so many of every family and size


@dataclass(frozen=True, eq=False)
class Review:
    """What was found of an algorithm."""

    algorithm: Algorithm
    presets: dict[str, str | None]  # what keeps each from learning it; None where nothing does
    # of each part of a proof, at most so many; None where there is no proof to try
    cases: dict[str, int] | None
    example: Run | None  # on one small graph
    graphs: int  # so many random graphs it was run on
    given: int  # and so many of the user's own
    # of them, so many were cut short: they asked for another step when they had taken the most
    at_limit: int
    agreement: Agreement | None  # with its reference, where it has one
    problems: tuple[str, ...]  # what is wrong; empty where nothing is
    notices: tuple[str, ...]  # what is not wrong, and may not be meant

    @property
    def learnt_by(self) -> list[str]:
        """The presets that learn it."""
        return without_objection(self.presets)


def review(algorithm: Algorithm, own: Sequence[GraphSet] = ()) -> Review:
    """Looks an algorithm over, in a second or two: nothing is trained. own: graphs of the user."""
    presets, problems = objections(algorithm), []
    if not without_objection(presets):
        reasons = "; ".join(dict.fromkeys(filter(None, presets.values())))
        problems.append(f"no preset learns it: {reasons}")
    example, graphs, at_limit, agreed = None, 0, 0, None
    given = sum(part.graph.num_graphs for part in own)
    try:
        example = _run(algorithm, example_graph(directed=algorithm.recipe.directed))
        for run in _trials(algorithm, own):
            graphs += run.graph.num_graphs
            at_limit += int(run.is_cut_short.sum())
            if agreed is None or agreed.difference is None:
                agreed = _joined(agreed, _agreement(run))
        # with a reference, it may be what is meant
        if at_limit and (agreed is None or agreed.difference is not None):
            which = f"{graphs - given} random graphs{f' and {given} of yours' if given else ''}"
            problems.append(
                f"on {at_limit} of {which} it is cut short: it needs another "
                "step when it has taken the most that it may. Declare more, as in "
                "most_steps=Limit(2, Location.EDGE), or let 'continues' end."
            )
        if agreed is not None and agreed.difference is not None:
            problems.append(f"it differs from its reference: {agreed.difference}.")
    except AlgoLensError as problem:
        problems.append(f"it does not run on {'these' if given else 'random'} graphs: {problem}")
    cases = None
    if presets.get("exact", "") is None and not unproven_methods(algorithm):
        exact = preset("exact", algorithm)
        declaration = exact.find_algorithm().declaration
        cases = most_cases(declaration, exact.architecture.message_bits)
    notices = (*_misnamed(type(algorithm)), *_unexported(algorithm), *_passes(algorithm))
    return Review(
        algorithm,
        presets,
        cases,
        example,
        max(0, graphs - given),
        given,
        at_limit,
        agreed,
        tuple(problems),
        notices,
    )


def _trials(algorithm: Algorithm, own: Sequence[GraphSet]) -> Iterator[Run]:
    """Runs on graphs of the user, and then on random ones."""
    for part in own:
        yield run_algorithm(algorithm, part.graph, part.inputs)
    directions = (False, True) if algorithm.graphs == "any" else (algorithm.recipe.directed,)
    for directed in directions:
        graphs = [
            sample(
                family,
                size,
                EACH,
                stream(0, "review", algorithm.name, family, str(size)),
                directed=directed,
            )
            for family, size in product(algorithm.recipe.families, SIZES)
        ]
        yield _run(algorithm, Graph.join(graphs))


def _misnamed(cls: type[Algorithm]) -> Iterator[str]:
    """Functions of the author that look like a method of an algorithm, and are none."""
    open_names = [name for name in METHODS if getattr(cls, name) is getattr(Algorithm, name)]
    for name, value in vars(cls).items():
        is_own = isfunction(value) and not name.startswith("_") and name not in vars(Algorithm)
        meant = get_close_matches(name, open_names, 1, CLOSE) if is_own else []
        if meant:
            yield f"nothing calls {name}(): if {meant[0]}() is meant, write def {meant[0]}(...)."
    module = getmodule(cls)
    for name in open_names:
        if isfunction(getattr(module, name, None)):
            yield f"{name}() stands outside of the class, where nothing calls it: move it inside."


def _unexported(algorithm: Algorithm) -> Iterator[str]:
    """What keeps a declared algorithm from being exported as a whole program."""
    if algorithm.declaration.seen is None:
        return
    try:
        Program.of(algorithm).to_sql()
    except AlgoLensError as problem:
        yield f"it cannot be exported: {problem}"


def _passes(algorithm: Algorithm) -> Iterator[str]:
    """What makes a step cost a pass over the graph, and not what changes in it."""
    look = algorithm.declaration.seen
    cost = "a step then costs a pass over all nodes and edges, however little changes in it."
    if look is None:
        yield (
            "what it sees is computed for the whole graph in every step, because perceive() is "
            f"written in Python: {cost}"
        )
        return
    for statement in look.statements:
        obstacle = ObservationPlan.declared(statement).obstacle
        if obstacle is not None:
            yield (
                f"'{statement.name}' is computed for all {statement.location.value}s in every "
                f"step, because {obstacle}: {cost}"
            )


def _run(algorithm: Algorithm, graph: Graph) -> Run:
    inputs = algorithm.sample(graph, stream(1, "review", algorithm.name))
    return run_algorithm(algorithm, graph, inputs)


def _agreement(run: Run) -> Agreement | None:
    try:
        return agreement(run)
    except AlgoLensError:
        raise
    except Exception as problem:
        # it is the user's own function: any error in it is reported to them
        raise AlgoLensError(
            f"reference() failed ({type(problem).__name__}: {problem})."
        ) from problem


def _joined(one: Agreement | None, other: Agreement | None) -> Agreement | None:
    if one is None or other is None:
        return one or other
    compared = tuple(dict.fromkeys(one.compared + other.compared))
    return Agreement(one.graphs + other.graphs, compared, one.difference or other.difference)


# small enough to be read in a figure, with a triangle, a square and a node of one neighbour
EXAMPLE_NODES = "abcdef"
EXAMPLE_EDGES = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 4), (2, 4))


def example_graph(*, directed: bool = False) -> Graph:
    """The graph of examples; directed, each edge leads from the earlier letter to the later."""
    graph = Graph.pack([len(EXAMPLE_NODES)], EXAMPLE_EDGES, directed=directed)
    return replace(graph, names=tuple(EXAMPLE_NODES))
