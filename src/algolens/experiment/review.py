"""An algorithm looked over, before any training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from inspect import getmodule, isfunction
from itertools import chain, product

import torch

from algolens.algorithms import Algorithm
from algolens.data.graph_sets import AllRefusedError, GraphSet, accepted, draw_graphs
from algolens.engines import Run, run_algorithm
from algolens.engines.incremental import compares_pairs
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.evaluation.reference import Agreement, agreement
from algolens.experiment.config import objections, preset, without_objection
from algolens.graphs import Graph, stream
from algolens.language.algorithm import METHODS
from algolens.proofs.certificate import unproven_methods
from algolens.proofs.network import most_cases
from algolens.text.sentences import Sentences

CLOSE = 0.8  # how much alike names are, from 0 to 1, of which one may be meant by the other
SIZES = (2, 5, 8, 12)  # nodes of the graphs that an algorithm is tried on
EACH = 5  # so many of every family and size


@dataclass(frozen=True, eq=False)
class Review:
    """What was found about an algorithm."""

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
        reasons = dict.fromkeys(reason.rstrip(".") for reason in presets.values() if reason)
        problems.append(f"no preset learns it: {'; '.join(reasons)}.")
    example, given, graphs, at_limit, agreed, left_out = None, 0, 0, 0, None, list[str]()
    which = "these"
    try:
        for run in (run_algorithm(algorithm, part.graph, part.inputs) for part in own):
            given += run.graph.num_graphs
            at_limit += int(run.is_cut_short.sum())
            agreed = _joined(agreed, run)
        which = "random"
        for run in _random_runs(algorithm, left_out):
            graphs += run.graph.num_graphs
            at_limit += int(run.is_cut_short.sum())
            agreed = _joined(agreed, run)
        with suppress(AllRefusedError):  # it may take larger graphs alone
            example = example_run(algorithm)
    except AllRefusedError as problem:
        (left_out if given else problems).append(str(problem))
    except AlgoLensError as problem:
        problems.append(f"it does not run on {which} graphs: {problem}")
    # with a reference, it may be what is meant
    if at_limit and (agreed is None or agreed.difference is not None):
        problems.append(
            f"on {at_limit} of {trials_in_words(graphs, given)} it is cut short: it needs another "
            "step when it has taken the most that it may. Declare more, as in "
            "most_steps = 2 * per(Edge), or let 'goes_on' end."
        )
    if agreed is not None and agreed.difference is not None:
        how = "differs from" if agreed.graphs else "cannot be compared with"
        problems.append(f"it {how} its reference: {agreed.difference.rstrip('.')}.")
    cases = None
    if presets.get("exact", "") is None and not unproven_methods(algorithm):
        exact = preset("exact", algorithm)
        declaration = exact.find_algorithm().declaration
        cases = most_cases(declaration, exact.architecture.message_bits)
    notices = (*left_out, *_misnamed(type(algorithm)), *_unexported(algorithm), *_passes(algorithm))
    return Review(
        algorithm,
        presets,
        cases,
        example,
        graphs,
        given,
        at_limit,
        agreed,
        tuple(problems),
        notices,
    )


def trials_in_words(random: int, given: int) -> str:
    """How many graphs were tried.

    >>> trials_in_words(140, 3), trials_in_words(0, 3)
    ('140 random graphs and 3 of yours', '3 graphs of yours')
    """
    yours = f"{given} of yours" if random else f"{given} graphs of yours"
    return " and ".join([f"{random} random graphs"] * (random > 0) + [yours] * (given > 0))


def _random_runs(algorithm: Algorithm, left_out: list[str]) -> Iterator[Run]:
    """Runs on random graphs of the recipe; how many are refused is added to left_out."""
    recipe, refusal, ran = algorithm.recipe, None, False
    wanted = [(family, size, EACH) for family, size in product(recipe.families, SIZES)]
    for directed in (False, True) if algorithm.graphs == "any" else (recipe.directed,):
        rng = stream(0, "review", algorithm.name, int(directed))
        try:
            drawn = draw_graphs(algorithm, wanted, rng, directed=directed)
        except AllRefusedError as problem:
            refusal = refusal or problem
            continue
        left_out += filter(None, [drawn.left_out])
        yield run_algorithm(algorithm, drawn.taken.graph, drawn.taken.inputs)
        ran = True
    if refusal is not None and not ran:
        raise refusal


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
    if algorithm.declaration.in_python:
        return
    try:
        Program.of(algorithm).to_sql()
    except AlgoLensError as problem:
        yield f"it cannot be exported: {problem}"


def _passes(algorithm: Algorithm) -> Iterator[str]:
    """What makes a step cost a pass over the graph, and not what changes in it."""
    cost = "a step then costs a pass over all nodes and edges, however little changes in it."
    if algorithm.declaration.in_python:
        yield (
            "what it sees is computed for the whole graph in every step, because perceive() is "
            f"written in Python: {cost}"
        )
        return
    pairs = compares_pairs(algorithm)
    for name, statement in algorithm.declaration.statements.items():
        if name in pairs:
            yield (
                f"'{name}' is computed for all {statement.at}s in every "
                f"step, because it compares those in view with the element in several ways: {cost}"
            )


def _joined(before: Agreement | None, run: Run) -> Agreement | None:
    """What is known of the reference after one more run; after a difference, that."""
    if before is not None and before.difference is not None:
        return before
    try:
        new = agreement(run)
    except AlgoLensError as problem:
        return Agreement(0, (), str(problem))
    except Exception as problem:  # it is the user's own function: any error in it is told
        return Agreement(0, (), f"reference() failed ({type(problem).__name__}: {problem})")
    if before is None or new is None:
        return before or new
    compared = tuple(dict.fromkeys(before.compared + new.compared))
    return Agreement(before.graphs + new.graphs, compared, new.difference)


# small enough to be read in a figure, with a triangle, a square and a node of one neighbour
EXAMPLE_NODES = "abcdef"
EXAMPLE_EDGES = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 4), (2, 4))


def example_graph(*, directed: bool = False) -> Graph:
    """The graph of examples; directed, each edge leads from the earlier letter to the later."""
    graph = Graph.pack([len(EXAMPLE_NODES)], EXAMPLE_EDGES, directed=directed)
    return replace(graph, names=tuple(EXAMPLE_NODES))


# families that may draw the graph of examples
GENERAL = {"erdos_renyi", "connected_erdos_renyi", "configuration"}
TRIES = 5  # draws, of which the first that shows a change is taken


def example_run(algorithm: Algorithm) -> Run:
    """A run on a small graph that the recipe may draw: one in which something changes, if any.

    Raises
    ------
    AllRefusedError
        Where the algorithm takes none.
    """
    runs = _example_runs(algorithm)
    first = next(runs)
    return next(filter(_shows_change, chain([first], runs)), first)


def _example_runs(algorithm: Algorithm) -> Iterator[Run]:
    recipe, rng = algorithm.recipe, stream(1, "review", algorithm.name)
    if GENERAL & {family for family in recipe.families if isinstance(family, str)}:
        graph = example_graph(directed=recipe.directed)
        for _ in range(TRIES):
            drawn = GraphSet(graph, algorithm.sample(graph, rng))
            if len(accepted(algorithm, drawn)[0]):
                yield run_algorithm(algorithm, graph, drawn.inputs)
    wanted = [(family, len(EXAMPLE_NODES), TRIES) for family in recipe.families]
    several = draw_graphs(algorithm, wanted, rng, directed=recipe.directed).taken
    for place in range(several.graph.num_graphs):
        one = several.take(algorithm, torch.tensor([place]))
        yield run_algorithm(algorithm, replace(one.graph, names=tuple(EXAMPLE_NODES)), one.inputs)


def _shows_change(run: Run) -> bool:
    sentences = Sentences(run, run.algorithm.declaration.rule_set)
    return any(any(sentences.told(step, 1)) for step in range(run.num_steps))
