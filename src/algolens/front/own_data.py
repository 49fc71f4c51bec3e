"""A user's graphs: a folder, a list, or a family, read as data sets to train and to test on."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from algolens.algorithms import OWN, Algorithm, check_own_file
from algolens.data import OwnSets
from algolens.data.graph_sets import GraphSet, OwnFamily, call_family, read_family, read_set
from algolens.data.own_sets import GIVEN, SPLITS, TEST, TRAIN, VALIDATION, split_places
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError, AlgoLensWarning, GraphError
from algolens.experiment.config import Experiment
from algolens.experiment.train import TestSets
from algolens.graphs import Graph, read_graph, stream
from algolens.lazy import is_instance
from algolens.models.network import is_exact
from algolens.records import OwnGraphs

SUFFIXES = (".csv", ".tsv", ".graphml", ".json")
MOST_ROUNDS = 30  # in which a family draws graphs that differ from those before


@dataclass(frozen=True)
class GivenGraphs:
    """Graphs of a user as they are read, and what was drawn for them."""

    algorithm: Algorithm
    seed: int  # of what is drawn
    directed: bool | None = None  # None: as each graph says
    purpose: tuple[str | int, ...] = (GIVEN,)  # what tells its random streams from others
    # each graph, and the inputs that were drawn for it
    entries: list[tuple[GraphSet, list[str]]] = field(default_factory=list)

    @property
    def drawn(self) -> Counter[str]:
        """By input, for how many graphs it was drawn."""
        return Counter(name for _, missing in self.entries for name in missing)

    def add(self, name: str, given: Any, num_nodes: int | None = None) -> None:
        """Reads one more. num_nodes: how many it should have, where that is known."""
        algorithm, number = self.algorithm, len(self.entries)
        try:
            by_default = algorithm.recipe.directed
            graph = read_graph(given, directed=self.directed, by_default=by_default).graph
            if num_nodes not in (None, graph.num_nodes):
                raise GraphError(
                    f"it has {graph.num_nodes} nodes: let the family give {num_nodes}."
                )
            rng = stream(self.seed, *self.purpose, algorithm.name, number)
            entry = read_set(algorithm, graph, rng)
            if self.entries and graph.directed != self.entries[0][0].graph.directed:
                kinds = ("directed", "undirected")
                is_it, others = kinds if graph.directed else kinds[::-1]
                raise GraphError(
                    f"it is {is_it}, and those before are {others}: give graphs of one kind, or "
                    "read all alike with --directed or --undirected (in Python, directed=)."
                )
        except AlgoLensError as problem:
            raise GraphError(f"{name}: {str(problem).removeprefix(f'{name}: ')}") from problem
        self.entries.append(entry)

    def joined(self) -> GraphSet:
        """All of them as one batch."""
        return GraphSet.joined(self.algorithm, [part for part, _ in self.entries])

    def different(self, taken: set[int]) -> GivenGraphs:
        """Those that differ, with their inputs, from all before; their marks are taken."""
        new = []
        for entry in self.entries:
            (mark,) = entry[0].marks(self.algorithm).tolist()
            if mark not in taken:
                taken.add(mark)
                new.append(entry)
        return replace(self, entries=new)


def read_graphs(
    algorithm: Algorithm, graphs: Any, seed: int, directed: bool | None = None, *purpose: str
) -> GivenGraphs:
    """The graphs of a folder, a file or a list. seed: of the inputs that they do not carry."""
    read = GivenGraphs(algorithm, seed, directed, (GIVEN, *purpose))
    for name, given in _listed(graphs):
        read.add(name, given)
    return read


def _listed(graphs: Any) -> list[tuple[str, Any]]:
    """The graphs, each with what a message calls it."""
    if isinstance(graphs, str | os.PathLike) and Path(graphs).is_dir():
        files = sorted(path for path in Path(graphs).iterdir() if path.suffix.lower() in SUFFIXES)
        if not files:
            ends = "end in .csv, .tsv, .graphml or .json"
            raise GraphError(f"{graphs} holds no graph: put files into it that {ends}.")
        return [(str(path), path) for path in files]
    if isinstance(graphs, str | os.PathLike):
        return [(str(graphs), graphs)]
    if (
        isinstance(graphs, Graph)
        or is_instance(graphs, "networkx", "Graph")
        or not isinstance(graphs, Iterable)
    ):
        raise GraphError(
            f"graphs= takes a number, a folder of files, or a list of graphs; a "
            f"{type(graphs).__name__} came."
        )
    listed = [(f"graph {place}", given) for place, given in enumerate(graphs)]
    if not listed:
        raise GraphError("graphs= is empty: give at least one graph.")
    return listed


def draw_family(
    algorithm: Algorithm,
    family: OwnFamily,
    num_nodes: int,
    count: int,
    seed: int,
    directed: bool | None = None,
    *,
    split: str = TEST,
    taken: set[int] | None = None,
) -> GivenGraphs:
    """So many graphs of a family. taken: marks of graphs that are not drawn once more, nor twice.

    Without taken, a graph may be there twice.
    """
    rng = stream(seed, "family", split, num_nodes)
    kept = GivenGraphs(algorithm, seed, directed)
    for number in range(MOST_ROUNDS):
        drawn = GivenGraphs(algorithm, seed, directed, ("family", split, num_nodes, number))
        for _ in range(count - len(kept.entries)):
            name = f"{family.name}({num_nodes}, rng)"
            drawn.add(name, call_family(family, num_nodes, rng), num_nodes)
        new = drawn if taken is None else drawn.different(taken)
        kept.entries.extend(new.entries)
        if len(kept.entries) == count:
            return kept
        if not new.entries:  # nor will another round give any
            break
    raise GraphError(
        f"{family.name} gave {len(kept.entries)} different graphs of {num_nodes} nodes, and "
        f"{count} are needed for the set '{split}': let it draw more by its random "
        "stream, the order of nodes too."
    )


TRIED = 20  # graphs of a family that an algorithm is tried on
A_LIST = "a list"  # what a record calls graphs that came from Python


def is_own(graphs: Any, family: Any, directed: bool | None) -> bool:
    """Whether a user gives graphs or a family; refused where both are given, or directed alone."""
    if graphs is not None and family is not None:
        raise AlgoLensError("graphs and a family are given: give one of them.")
    if directed is not None and graphs is None and family is None:
        raise AlgoLensError(
            "directed= goes with graphs of yours or a family, and neither is given."
        )
    return graphs is not None or family is not None


def with_own_graphs(
    experiment: Experiment,
    graphs: Any = None,
    family: Any = None,
    directed: bool | None = None,
    sizes: Sequence[int] = (),
) -> Experiment:
    """The experiment on a user's graphs, split into sets. sizes: of a family's test graphs."""
    if not is_own(graphs, family, directed):
        return experiment
    if family is not None:
        own = read_family(family)
        sets, repeated = _family_sets(experiment, own, directed, sizes), 0
        about = {"from": own.name, "family": True}
        about |= {} if own.sha256 is None else {"file_sha256": own.sha256}
    else:
        by_split = _by_split(graphs)
        sets, repeated = _split(experiment, graphs, by_split, directed)
        is_named = isinstance(graphs, str | os.PathLike)
        about = {"from": str(graphs) if is_named else A_LIST}
        about |= {"split": "chance" if by_split is None else "given"}
    own_sets = OwnSets({name: read.joined() for name, read in sets.items()})
    if len({part.graph.directed for part in own_sets.sets.values()}) > 1:
        raise GraphError("one set has directed graphs, another undirected ones: give one kind.")
    nodes = [int(n) for part in own_sets.sets.values() for n in part.graph.node_counts]
    record = {
        **about,
        "taught": not is_exact(experiment.architecture),
        "sha256": own_sets.sha256,
        "sets": own_sets.counts,
        "nodes": [min(nodes), max(nodes)],
        "drawn": dict(_drawn(sets)),
        "repeated": repeated,
    }
    return replace(experiment, graphs=cast(OwnGraphs, record), own_sets=own_sets)


def _drawn(sets: Mapping[Any, GivenGraphs]) -> Counter[str]:
    return sum((read.drawn for read in sets.values()), Counter[str]())


def _by_split(graphs: Any) -> dict[str, Any] | None:
    """The graphs of each set, where a user has split them: a mapping, or folders in a folder."""
    by_split = None
    if isinstance(graphs, Mapping):
        by_split = dict(graphs)
    elif isinstance(graphs, str | os.PathLike) and any((Path(graphs) / n).is_dir() for n in SPLITS):
        by_split = {path.name: path for path in Path(graphs).iterdir() if path.is_dir()}
    if by_split is not None and set(by_split) != set(SPLITS):
        came = ", ".join(map(str, sorted(by_split))) or "nothing"
        raise GraphError(f"graphs that are split are {', '.join(SPLITS)}; {came} came.")
    return by_split


def _split(
    experiment: Experiment,
    graphs: Any,
    by_split: Mapping[str, Any] | None,
    directed: bool | None,
) -> tuple[dict[str, GivenGraphs], int]:
    """The sets, by chance or as given, without a graph twice; and how many were left out so."""
    algorithm, seed, taken = experiment.find_algorithm(), experiment.data_seed, set[int]()
    if by_split is None:
        read = read_graphs(algorithm, graphs, seed, directed)
        new = read.different(taken)
        sets = {
            name: replace(new, entries=[new.entries[place] for place in places])
            for name, places in split_places(len(new.entries), seed).items()
        }
        return sets, len(read.entries) - len(new.entries)
    sets, repeated = {}, 0
    for split in SPLITS:
        read = read_graphs(algorithm, by_split[split], seed, directed, split)
        new = read.different(taken)
        if not new.entries:
            raise GraphError(f"every graph of '{split}' is in a set before it: give others.")
        sets[GIVEN if split == TEST else split] = new
        repeated += len(read.entries) - len(new.entries)
    return sets, repeated


def _family_sets(
    experiment: Experiment, family: OwnFamily, directed: bool | None, sizes: Sequence[int]
) -> dict[str, GivenGraphs]:
    """As many graphs of a family, of the sizes, as the algorithm's recipe has."""
    recipe, algorithm, taken = experiment.recipe, experiment.find_algorithm(), set[int]()
    wanted = {TRAIN: (TRAIN, recipe.size), VALIDATION: (VALIDATION, recipe.size)}
    wanted |= {str(size): (TEST, size) for size in sizes or recipe.test_sizes}
    seed = experiment.data_seed
    sets = {}
    for name, (split, size) in wanted.items():
        count = sum(recipe.counts(split).values())
        sets[name] = draw_family(
            algorithm, family, size, count, seed, directed, split=split, taken=taken
        )
    return sets


def own_test_sets(
    experiment: Experiment,
    graphs: Any,
    seed: int,
    directed: bool | None = None,
    *,
    family: Any = None,
    sizes: Sequence[int] = (),
    count: int | None = None,
) -> TestSets:
    """The true traces of a user's graphs, or of so many of a family at each size.

    seed: of the inputs that graphs do not carry, and of a family's graphs.
    """
    algorithm, learnt = experiment.find_algorithm(), _learnt(experiment)
    read: dict[Any, GivenGraphs]
    if family is None:
        read = {GIVEN: read_graphs(algorithm, graphs, seed, directed)}
        nodes = [part.graph.num_nodes for part, _ in read[GIVEN].entries]
        about: dict[str, Any] = {"given": len(nodes), "nodes": [min(nodes), max(nodes)]}
    else:
        own = family if isinstance(family, OwnFamily) else read_family(family)
        of_each = count or sum(experiment.recipe.counts("test").values())
        read = {
            size: draw_family(
                algorithm, own, size, of_each, seed, directed, taken=set(learnt or ())
            )
            for size in sizes
        }
        about = {"family": own.name, "of_each_size": {own.name: of_each}}
    parts = {name: some.joined() for name, some in read.items()}
    marks = [mark for part in parts.values() for mark in part.marks(algorithm).tolist()]
    about |= {"data_seed": seed, "drawn": dict(_drawn(read))}
    about["learnt"] = None if learnt is None else sum(mark in learnt for mark in marks)
    traces = {
        name: (run_algorithm(algorithm, part.graph, part.inputs),) for name, part in parts.items()
    }
    return TestSets(traces, about)


def _learnt(experiment: Experiment) -> set[int] | None:
    """Marks of a user's graphs that a model was trained or selected on; None: it has others."""
    if experiment.own_sets is None:
        return None
    # no graph teaches an exact network
    sets = (VALIDATION,) if is_exact(experiment.architecture) else (TRAIN, VALIDATION)
    return experiment.own_sets.marks(experiment.find_algorithm(), sets)


def family_again(experiment: Experiment, folder: Path | None) -> OwnFamily | None:
    """The family that a model was trained on, by its file, which is run; None: on none."""
    about = experiment.graphs
    if about is None or not about.get("family"):
        return None
    name, sha256 = about["from"], about.get("file_sha256")
    if OWN.fullmatch(name) is None:
        raise AlgoLensError(
            f"it was trained on the family '{name}', a function that stands in no file: give it "
            "again with family=, or graphs of yours with graphs=."
        )
    check_own_file(name, "family", sha256, folder)
    family = read_family(name, sha256)
    ran = f"{name.rpartition(':')[0]} was run, the file of the family '{name}'."
    warnings.warn(ran, AlgoLensWarning, stacklevel=2)
    return family


def own_trials(
    algorithm: Algorithm,
    graphs: Any = None,
    family: Any = None,
    seed: int = 0,
    directed: bool | None = None,
) -> list[GraphSet]:
    """A user's graphs, and graphs of a user's family, that an algorithm is tried on."""
    trials = []
    if graphs is not None:
        trials.append(read_graphs(algorithm, graphs, seed, directed).joined())
    if family is not None:
        size = algorithm.recipe.size  # which it is trained on as well
        own = read_family(family)
        trials.append(draw_family(algorithm, own, size, TRIED, seed, directed).joined())
    return trials
