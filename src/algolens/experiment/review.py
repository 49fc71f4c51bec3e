"""An algorithm looked over before anything is trained: who learns it, what a proof takes, and
whether it runs as it should.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

from algolens.algorithms import Algorithm
from algolens.certification.proof import most_cases
from algolens.errors import AlgoLensError
from algolens.evaluation.reference import Agreement, agreement
from algolens.execution import Run, run_algorithm
from algolens.experiment.check import objections
from algolens.experiment.presets import preset
from algolens.graphs import Graph, sample, stream

SIZES = (2, 5, 8, 12)  # nodes of the graphs that it is tried on
EACH = 5  # so many of every family and size
# small enough to be read in a figure, with a triangle, a square and a node of one neighbour
EXAMPLE_NODES = "abcdef"
EXAMPLE_EDGES = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 4), (2, 4))


@dataclass(frozen=True, eq=False)
class Review:
    """What was found of an algorithm."""

    algorithm: Algorithm
    presets: dict[str, str | None]  # what keeps each from learning it; None where nothing does
    # of each part of a proof, at most so many; None where there is no proof to try
    cases: dict[str, int] | None
    example: Run | None  # on one small graph
    graphs: int  # so many random graphs it was run on
    # of them, so many were cut short: they asked for another step when they had taken the most
    at_limit: int
    agreement: Agreement | None  # with its reference, where it has one
    problems: tuple[str, ...]  # what is wrong; empty where nothing is

    @property
    def learnt_by(self) -> list[str]:
        """The presets that learn it."""
        return [name for name, problem in self.presets.items() if problem is None]


def review(algorithm: Algorithm) -> Review:
    """Looks an algorithm over, in a second or two: nothing is trained."""
    presets, problems = objections(algorithm), []
    if all(problem is not None for problem in presets.values()):
        problems.append(
            "no preset learns it: " + "; ".join(dict.fromkeys(filter(None, presets.values())))
        )
    example, graphs, at_limit, found = None, 0, 0, None
    try:
        example = _run(algorithm, example_graph(directed=algorithm.recipe.directed))
        for family, directed in product(algorithm.recipe.families, _directions(algorithm)):
            for size in SIZES:
                run = _run(algorithm, _sampled(algorithm, family, size, EACH, directed=directed))
                graphs += run.graph.num_graphs
                at_limit += int(run.is_cut_short.sum())
                if found is None or found.difference is None:
                    found = _joined(found, _agreement(run))
        # with a reference, it may be what is meant
        if at_limit and (found is None or found.difference is not None):
            problems.append(
                f"on {at_limit} of {graphs} random graphs it is cut short: it asks for another "
                "step when it has taken the most that it may. Declare more, as in "
                "most_steps=Limit(2, Location.EDGE), or let 'continues' end."
            )
        if found is not None and found.difference is not None:
            problems.append(f"it differs from its reference: {found.difference}.")
    except AlgoLensError as problem:
        problems.append(f"it does not run on random graphs: {problem}")
    return Review(
        algorithm,
        presets,
        _cases(algorithm, presets),
        example,
        graphs,
        at_limit,
        found,
        tuple(problems),
    )


def _directions(algorithm: Algorithm) -> tuple[bool, ...]:
    """Directed or not, or both, as the graphs are on which it makes sense."""
    return (False, True) if algorithm.graphs == "any" else (algorithm.recipe.directed,)


def _sampled(algorithm: Algorithm, family: str, size: int, count: int, *, directed: bool) -> Graph:
    return sample(
        family,
        size,
        count,
        stream(0, "review", algorithm.name, family, str(size)),
        directed=directed,
    )


def _run(algorithm: Algorithm, graph: Graph) -> Run:
    return run_algorithm(
        algorithm, graph, algorithm.sample(graph, stream(1, "review", algorithm.name))
    )


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


def _cases(algorithm: Algorithm, presets: dict[str, str | None]) -> dict[str, int] | None:
    """Of each check that a proof makes."""
    if presets.get("exact", "") is not None:
        return None
    experiment = preset("exact", algorithm)
    return most_cases(experiment.find_algorithm().declaration, experiment.architecture.message_bits)


def example_graph(*, directed: bool = False) -> Graph:
    """The graph of examples; directed, each edge leads from the earlier letter to the later."""
    graph = Graph.pack([len(EXAMPLE_NODES)], EXAMPLE_EDGES, directed=directed)
    return replace(graph, names=tuple(EXAMPLE_NODES))
