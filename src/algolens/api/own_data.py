"""A user's graphs: a folder, a list, or a family, read as data sets to train and to test on."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from algolens.algorithms import OWN, Algorithm, check_own_file
from algolens.data import OwnSets
from algolens.data.datasets import GIVEN, SPLITS, TEST, TRAIN, VALIDATION, split_places
from algolens.data.graph_sets import GraphSet, OwnFamily, call_family, read_family, read_set
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError, AlgoLensWarning, GraphError
from algolens.experiment.train import TestSets
from algolens.graphs import Graph, read_graph, stream
from algolens.lazy import is_instance
from algolens.models.network import is_exact
from algolens.records import Experiment, OwnGraphs

SUFFIXES = (".csv", ".tsv", ".graphml", ".json")
MOST_ROUNDS = 30  # in which a family draws graphs that differ from those before
TRIED = 20  # graphs of a family that an algorithm is tried on
A_LIST = "a list"  # what a record calls graphs that came from Python
Read = tuple[GraphSet, list[str]]  # a graph with its inputs, and which of them were drawn for it


@dataclass(frozen=True)
class Reader:
    """Reads or draws a user's graphs for an algorithm."""

    algorithm: Algorithm
    seed: int  # of inputs that graphs do not carry, and of a family's graphs
    directed: bool | None = None  # whether edges have directions; None: as each graph says

    def read(self, graphs: Any, *purpose: str) -> list[Read]:
        """Read the graphs in a folder, a file or a list."""
        return self._read(_listed(graphs), GIVEN, *purpose)

    def draw(
        self,
        family: OwnFamily,
        num_nodes: int,
        count: int,
        split: str = TEST,
        taken: set[int] | None = None,
    ) -> list[Read]:
        """So many graphs of a family. taken: marks of graphs that are not drawn once more, nor
        twice; without it, a graph may be there twice.
        """
        rng = stream(self.seed, "family", split, num_nodes)
        name = f"{family.name}({num_nodes}, rng)"
        kept: list[Read] = []
        for number in range(MOST_ROUNDS):
            graphs = ((name, call_family(family, num_nodes, rng)) for _ in range(count - len(kept)))
            new = self._read(graphs, "family", split, num_nodes, number, num_nodes=num_nodes)
            if taken is not None:
                new = self.different(new, taken)
            kept += new
            if len(kept) == count:
                return kept
            if not new:  # nor will another round give any
                break
        raise GraphError(
            f"{family.name} gave {len(kept)} different graphs of {num_nodes} nodes, and {count} "
            f"are needed for the set '{split}': let it draw more by its random stream, the order "
            "of nodes too."
        )

    def different(self, read: Iterable[Read], taken: set[int]) -> list[Read]:
        """Those that differ, with their inputs, from all before; their marks are taken."""
        new = []
        for entry in read:
            (mark,) = entry[0].marks(self.algorithm).tolist()
            if mark not in taken:
                taken.add(mark)
                new.append(entry)
        return new

    def joined(self, read: Iterable[Read]) -> GraphSet:
        """All of them as one batch."""
        return GraphSet.joined(self.algorithm, [part for part, _ in read])

    def _read(
        self,
        graphs: Iterable[tuple[str, Any]],
        *purpose: str | int,
        num_nodes: int | None = None,
    ) -> list[Read]:
        """Graphs by what messages call them. purpose: what tells their random streams apart;
        num_nodes: how many each should have, where that is known.
        """
        algorithm, read = self.algorithm, list[Read]()
        for number, (name, given) in enumerate(graphs):
            try:
                by_default = algorithm.recipe.directed
                graph = read_graph(given, directed=self.directed, by_default=by_default).graph
                if num_nodes not in (None, graph.num_nodes):
                    raise GraphError(
                        f"it has {graph.num_nodes} nodes: let the family give {num_nodes}."
                    )
                rng = stream(self.seed, *purpose, algorithm.name, number)
                entry = read_set(algorithm, graph, rng)
                if read and graph.directed != read[0][0].graph.directed:
                    kinds = ("directed", "undirected")
                    is_it, others = kinds if graph.directed else kinds[::-1]
                    raise GraphError(
                        f"it is {is_it}, and those before are {others}: give graphs of one kind, "
                        "or read all alike with --directed or --undirected (in Python, directed=)."
                    )
            except AlgoLensError as problem:
                raise GraphError(f"{name}: {str(problem).removeprefix(f'{name}: ')}") from problem
            read.append(entry)
        return read


def _listed(graphs: Any) -> list[tuple[str, Any]]:
    """The graphs, each with what a message calls it."""
    if isinstance(graphs, str | os.PathLike):
        folder = Path(graphs)
        if not folder.is_dir():
            return [(str(graphs), graphs)]
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
        listed = [(str(path), path) for path in files]
        if not listed:
            ends = "end in .csv, .tsv, .graphml or .json"
            raise GraphError(f"{graphs} holds no graph: put files into it that {ends}.")
        return listed
    is_one = isinstance(graphs, Graph) or is_instance(graphs, "networkx", "Graph")
    if is_one or not isinstance(graphs, Iterable):
        raise GraphError(
            f"graphs= takes a number, a folder of files, or a list of graphs; a "
            f"{type(graphs).__name__} came."
        )
    listed = [(f"graph {place}", given) for place, given in enumerate(graphs)]
    if not listed:
        raise GraphError("graphs= is empty: give at least one graph.")
    return listed


def is_own(graphs: Any, family: Any, directed: bool | None) -> bool:
    """Whether the user gives graphs or a family; both, or directed alone, are an error."""
    if graphs is not None and family is not None:
        raise AlgoLensError("graphs and a family are given: give one of them.")
    is_given = graphs is not None or family is not None
    if directed is not None and not is_given:
        raise AlgoLensError(
            "directed= goes with graphs of yours or a family, and neither is given."
        )
    return is_given


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
    reader = Reader(experiment.find_algorithm(), experiment.data_seed, directed)
    if family is not None:
        own = read_family(family)
        sets, repeated = _family_sets(reader, experiment, own, sizes), 0
        about = {"from": own.name, "family": True}
        about |= {} if own.sha256 is None else {"file_sha256": own.sha256}
    else:
        by_split = _by_split(graphs)
        sets, repeated = _split(reader, graphs, by_split)
        is_named = isinstance(graphs, str | os.PathLike)
        about = {
            "from": str(graphs) if is_named else A_LIST,
            "split": "chance" if by_split is None else "given",
        }
    own_sets = OwnSets({name: reader.joined(read) for name, read in sets.items()})
    if len({part.graph.directed for part in own_sets.sets.values()}) > 1:
        raise GraphError("one set has directed graphs, another undirected ones: give one kind.")
    nodes = [int(n) for part in own_sets.sets.values() for n in part.graph.node_counts]
    record = {
        **about,
        "taught": not is_exact(experiment.architecture),
        "sha256": own_sets.sha256,
        "sets": own_sets.counts,
        "nodes": [min(nodes), max(nodes)],
        "drawn": _drawn(sets),
        "repeated": repeated,
    }
    return replace(experiment, graphs=cast(OwnGraphs, record), own_sets=own_sets)


def _drawn(sets: Mapping[Any, Sequence[Read]]) -> dict[str, int]:
    """By input, for how many graphs it was drawn."""
    return dict(Counter(name for read in sets.values() for _, drawn in read for name in drawn))


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
    reader: Reader, graphs: Any, by_split: Mapping[str, Any] | None
) -> tuple[dict[str, list[Read]], int]:
    """The sets, by chance or as given, without a graph twice; and how many were left out so."""
    taken = set[int]()
    if by_split is None:
        read = reader.read(graphs)
        new = reader.different(read, taken)
        places = split_places(len(new), reader.seed)
        sets = {name: [new[place] for place in some] for name, some in places.items()}
        return sets, len(read) - len(new)
    sets, repeated = {}, 0
    for split in SPLITS:
        read = reader.read(by_split[split], split)
        new = reader.different(read, taken)
        if not new:
            raise GraphError(f"every graph of '{split}' is in a set before it: give others.")
        sets[GIVEN if split == TEST else split] = new
        repeated += len(read) - len(new)
    return sets, repeated


def _family_sets(
    reader: Reader, experiment: Experiment, family: OwnFamily, sizes: Sequence[int]
) -> dict[str, list[Read]]:
    """As many graphs of a family, of the sizes, as the algorithm's recipe has."""
    recipe, taken = experiment.recipe, set[int]()
    wanted = {TRAIN: (TRAIN, recipe.size), VALIDATION: (VALIDATION, recipe.size)}
    wanted |= {str(size): (TEST, size) for size in sizes or recipe.test_sizes}
    return {
        name: reader.draw(family, size, sum(recipe.counts(split).values()), split, taken)
        for name, (split, size) in wanted.items()
    }


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
    reader = Reader(experiment.find_algorithm(), seed, directed)
    learnt = _learnt(experiment)
    read: dict[Any, list[Read]]
    if family is None:
        read = {GIVEN: reader.read(graphs)}
        nodes = [part.graph.num_nodes for part, _ in read[GIVEN]]
        about: dict[str, Any] = {"given": len(nodes), "nodes": [min(nodes), max(nodes)]}
    else:
        own = family if isinstance(family, OwnFamily) else read_family(family)
        of_each = count or sum(experiment.recipe.counts("test").values())
        read = {size: reader.draw(own, size, of_each, taken=set(learnt or ())) for size in sizes}
        about = {"family": own.name, "of_each_size": {own.name: of_each}}
    parts = {name: reader.joined(some) for name, some in read.items()}
    marks = [mark for part in parts.values() for mark in part.marks(reader.algorithm).tolist()]
    about |= {"data_seed": seed, "drawn": _drawn(read)}
    about["learnt"] = None if learnt is None else sum(mark in learnt for mark in marks)
    traces = {
        name: (run_algorithm(reader.algorithm, part.graph, part.inputs),)
        for name, part in parts.items()
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
    algorithm: Algorithm, graphs: Any, family: Any, seed: int, directed: bool | None
) -> list[GraphSet]:
    """A user's graphs, and graphs of a user's family, that an algorithm is tried on."""
    reader, trials = Reader(algorithm, seed, directed), []
    if graphs is not None:
        trials.append(reader.read(graphs))
    if family is not None:
        size = algorithm.recipe.size  # which it is trained on as well
        trials.append(reader.draw(read_family(family), size, TRIED))
    return [reader.joined(read) for read in trials]
