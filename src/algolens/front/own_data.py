"""A user's graphs as data sets: to train on, split into sets; and to test on."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from algolens.algorithms import OWN, Algorithm, check_own_file
from algolens.data import GraphSet, OwnSets
from algolens.data.graph_sets import OwnFamily, read_family
from algolens.data.own_sets import GIVEN, SPLITS, TEST, TRAIN, VALIDATION, split_places
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError, AlgoLensWarning, GraphError
from algolens.experiment import Experiment, TestSets
from algolens.front.own_graphs import GivenGraphs, draw_family, read_graphs
from algolens.models.network import is_exact
from algolens.records.experiment import OwnGraphs

TRIED = 20  # graphs of a family that an algorithm is tried on
A_LIST = "a list"  # what a record calls graphs that came from Python


def with_own_graphs(
    experiment: Experiment,
    graphs: Any = None,
    family: Any = None,
    directed: bool | None = None,
    sizes: Sequence[int] = (),
) -> Experiment:
    """The experiment on a user's graphs, split into sets. sizes: of a family's test graphs."""
    if graphs is None and family is None:
        if directed is not None:
            raise AlgoLensError("directed= goes with graphs= or family=, and neither is given.")
        return experiment
    if graphs is not None and family is not None:
        raise AlgoLensError("graphs and a family are given: train on one of them.")
    taken: set[int] = set()
    if family is not None:
        own = read_family(family)
        sets = _family_sets(experiment, own, directed, sizes, taken)
        about = {"from": own.name, "family": True}
        about |= {} if own.sha256 is None else {"file_sha256": own.sha256}
        repeated = 0
    else:
        by_split = _by_split(graphs)
        sets, repeated = (
            _split_by_chance(experiment, graphs, directed, taken)
            if by_split is None
            else _split_as_given(experiment, by_split, directed, taken)
        )
        is_named = isinstance(graphs, str | os.PathLike)
        about = {"from": str(graphs) if is_named else A_LIST, "split": "chance"}
        about |= {} if by_split is None else {"split": "given"}
    own_sets = OwnSets({name: read.joined() for name, read in sets.items()})
    if len({part.graph.directed for part in own_sets.sets.values()}) > 1:
        raise GraphError("one set has directed graphs, another undirected ones: give one kind.")
    nodes = [int(n) for part in own_sets.sets.values() for n in part.graph.node_counts]
    drawn = sum((Counter(read.drawn) for read in sets.values()), Counter[str]())
    record = {
        **about,
        "taught": not is_exact(experiment.architecture),
        "sha256": own_sets.sha256,
        "sets": own_sets.counts,
        "nodes": [min(nodes), max(nodes)],
        "drawn": dict(drawn),
        "repeated": repeated,
    }
    return replace(experiment, graphs=cast(OwnGraphs, record), own_sets=own_sets)


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


def _split_by_chance(
    experiment: Experiment, graphs: Any, directed: bool | None, taken: set[int]
) -> tuple[dict[str, GivenGraphs], int]:
    seed = experiment.data_seed
    read = read_graphs(experiment.find_algorithm(), graphs, seed, directed)
    new = read.different(taken)
    places = split_places(len(new), seed)
    sets = {name: read.take(new[place] for place in chosen) for name, chosen in places.items()}
    return sets, len(read.parts) - len(new)


def _split_as_given(
    experiment: Experiment, by_split: Mapping[str, Any], directed: bool | None, taken: set[int]
) -> tuple[dict[str, GivenGraphs], int]:
    sets, repeated, algorithm = {}, 0, experiment.find_algorithm()
    for split in SPLITS:
        read = read_graphs(algorithm, by_split[split], experiment.data_seed, directed, split)
        new = read.different(taken)
        if not new:
            raise GraphError(f"every graph of '{split}' is in a set before it: give others.")
        sets[GIVEN if split == TEST else split] = read.take(new)
        repeated += len(read.parts) - len(new)
    return sets, repeated


def _family_sets(
    experiment: Experiment,
    family: OwnFamily,
    directed: bool | None,
    sizes: Sequence[int],
    taken: set[int],
) -> dict[str, GivenGraphs]:
    """As many graphs of a family, of the sizes, as the algorithm's recipe has."""
    recipe = experiment.recipe
    wanted = {TRAIN: (TRAIN, recipe.size), VALIDATION: (VALIDATION, recipe.size)}
    wanted |= {str(size): (TEST, size) for size in sizes or recipe.test_sizes}
    return {
        name: draw_family(
            experiment.find_algorithm(),
            family,
            size,
            sum(recipe.counts(split).values()),
            experiment.data_seed,
            directed,
            split=split,
            taken=taken,
        )
        for name, (split, size) in wanted.items()
    }


def own_test_sets(
    experiment: Experiment, graphs: Any, seed: int, directed: bool | None = None
) -> TestSets:
    """The true traces of a user's graphs. seed: of the inputs that they do not carry."""
    algorithm = experiment.find_algorithm()
    read = read_graphs(algorithm, graphs, seed, directed)
    part = read.joined()
    nodes = [int(part.graph.node_counts.min()), int(part.graph.node_counts.max())]
    about = {"given": len(read.parts), "nodes": nodes, "data_seed": seed, "drawn": read.drawn}
    learnt, marks = _learnt(experiment), part.marks(algorithm).tolist()
    about["learnt"] = None if learnt is None else sum(mark in learnt for mark in marks)
    return TestSets({GIVEN: (run_algorithm(algorithm, part.graph, part.inputs),)}, about)


def family_test_sets(
    experiment: Experiment,
    family: Any,
    sizes: Sequence[int],
    count: int | None,
    seed: int,
    directed: bool | None = None,
) -> TestSets:
    """The true traces of graphs of a user's family, at each size."""
    own = family if isinstance(family, OwnFamily) else read_family(family)
    algorithm = experiment.find_algorithm()
    learnt = _learnt(experiment)
    of_each = count or sum(experiment.recipe.counts("test").values())
    traces, drawn = {}, Counter[str]()
    for size in sizes:
        read = draw_family(algorithm, own, size, of_each, seed, directed, taken=set(learnt or ()))
        part = read.joined()
        traces[size] = (run_algorithm(algorithm, part.graph, part.inputs),)
        drawn += Counter(read.drawn)
    about = {"family": own.name, "of_each_size": {own.name: of_each}, "data_seed": seed}
    of_learnt = None if learnt is None else 0
    return TestSets(traces, {**about, "drawn": dict(drawn), "learnt": of_learnt})


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
