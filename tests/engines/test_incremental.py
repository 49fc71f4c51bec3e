"""The incremental engine takes the steps that tensors take; a step costs what changes in it."""

from __future__ import annotations

import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import which
from subprocess import run as run_process
from typing import Any

import numpy as np
import pytest
import torch

from algolens.algorithms import Algorithm, Node, algorithm, algorithms, mask, number, per
from algolens.arrays import equal
from algolens.engines import Intervention, delta, incremental, run_algorithm
from algolens.errors import AlgoLensError, AlgoLensWarning, GraphError
from algolens.evaluation.evaluate import rule_parts
from algolens.experiment.model import load_model
from algolens.graphs import Graph
from algolens.models import Architecture, Network, NetworkParts, exact
from algolens.models.architecture import EXACT
from tests.effort import is_thorough
from tests.extraction.test_meaning import true_table

pytestmark = pytest.mark.skipif(delta.library() is None, reason="the engine is not compiled")

ALL = 2**62  # rows that a run may go through
DECLARED = [name for name, cls in algorithms().items() if not cls().declaration.in_python]


def random_graph(rng: np.random.Generator, directed: bool, most: int = 12) -> Graph:
    count = int(rng.integers(1, most))
    pairs = np.argwhere(rng.random((count, count)) < rng.random() * 3 / count)
    return Graph.pack([count], pairs, directed=directed)


def graph_for(chosen: Any, rng: np.random.Generator, most: int = 12) -> Graph:
    directed = chosen.graphs == "directed" or (chosen.graphs == "any" and rng.random() < 0.5)
    return random_graph(rng, directed, most)


def assert_equal(one: Any, other: Any) -> None:
    mine, theirs = one.tensors(), other.tensors()
    assert mine.keys() == theirs.keys()
    for name in mine:
        assert equal(mine[name], theirs[name]), name


def both(chosen: Any, graph: Graph, inputs: Any, **sockets: Any) -> int:
    """Runs by both engines, with and without a trace; gives the number of steps."""
    for trace in (True, False):
        runs = [
            run_algorithm(chosen, graph, inputs, kernel=kernel, trace=trace, **sockets)
            for kernel in incremental.KERNELS
        ]
        assert_equal(*runs)
    return runs[0].num_steps


@pytest.mark.parametrize("name", DECLARED)
def test_every_algorithm_runs_alike_by_both_engines(name):
    rng, chosen = np.random.default_rng(7), algorithm(name)
    steps, most = 0, 8 if chosen.declaration.most_steps.per == "pair" else 12
    for _ in range(5):
        graph = graph_for(chosen, rng, most)
        steps += both(chosen, graph, chosen.sample(graph, rng))
    assert steps


def outcome(run: Any) -> Any:
    """A run, or the words in which it is refused."""
    try:
        return run()
    except GraphError as refused:
        return str(refused)


def exact_network(chosen: Any, seed: int) -> Network:
    """A network of any weights whose comparisons are in order."""
    network = Network(chosen, Architecture(processor=EXACT, width=8, message_bits=2), (seed,))
    perceiver: Any = network.perceiver
    for comparator in perceiver.comparisons.values():
        comparator.change.data.fill_(0.2)
        comparator.offset.data.fill_(-8)
    return network


@pytest.mark.parametrize("name", ["bfs", "k_core", "bipartite", "prim", "boruvka", "matching"])
def test_networks_of_any_weights_run_alike_by_both_engines(name):
    """What a stage concludes is read from its own weights, right or wrong."""
    rng, chosen, ran = np.random.default_rng(9), algorithm(name), 0
    for seed in range(4):
        parts = NetworkParts(exact_network(chosen, seed))
        graph = graph_for(chosen, rng)
        with suppress(AlgoLensError):  # its stages are too large, or compare pairs
            both(chosen, graph, chosen.sample(graph, rng), **parts.sockets)
            ran += 1
    assert ran


@pytest.mark.parametrize("name", ["dijkstra", "kruskal", "dfs", "bellman_ford", "k_core"])
def test_right_stages_run_as_the_algorithm(name):
    rng, chosen = np.random.default_rng(10), algorithm(name)
    network = exact_network(chosen, 0)
    perceiver: Any = network.perceiver
    stated = {
        exact._let_of(key): true_table(each).stated(each)
        for key, each in perceiver.statements.items()
    }
    assert all(stated.values())
    perceiver.stated = lambda: stated
    for _ in range(3):
        graph = graph_for(chosen, rng)
        inputs = chosen.sample(graph, rng)
        sockets = {**NetworkParts(network).sockets, "decide": None}
        assert_equal(
            run_algorithm(chosen, graph, inputs, kernel="incremental", **sockets),
            run_algorithm(chosen, graph, inputs, kernel="tensor"),
        )


@pytest.mark.parametrize("name", ["bfs", "dijkstra", "kruskal", "dfs", "k_core"])
def test_extracted_rules_run_alike_by_both_engines(name):
    """Over what the network sees, as `--by rules`, and over what is true; and wrong rules."""
    model = load_model(name, certified=False)
    network, chosen = model.network.only(0), model.network.algorithm
    assert model.rule_sets is not None
    (own, *_), rng = model.rule_sets, np.random.default_rng(11)
    wrong = replace(
        own,
        rules={
            output: dict(zip(classes, [*classes.values()][::-1], strict=True))
            for output, classes in own.rules.items()
        },
    )
    differs = 0
    for rules in (own, wrong):
        parts = rule_parts(network, rules)
        alone = {socket: part for socket, part in parts.items() if socket != "perceive"}
        for _ in range(3):
            graph = graph_for(chosen, rng)
            inputs = chosen.sample(graph, rng)
            both(chosen, graph, inputs, **parts)
            both(chosen, graph, inputs, **alone)
            run = run_algorithm(chosen, graph, inputs, kernel="incremental", **parts)
            truth = run_algorithm(chosen, graph, inputs)
            is_true = run.num_steps == truth.num_steps and all(
                run[output].equals(truth[output]) for output in own.rules
            )
            assert is_true or rules is wrong
            differs += not is_true
    assert differs


@pytest.mark.parametrize("small", [incremental.SMALL, 0])
def test_runs_on_one_graph_are_incremental_unasked(monkeypatch, small):
    """On a large graph, once some steps in a row changed little."""
    begun, real = [], incremental.Incremental.advance

    def counted(self: Any, frame: Any, step: int) -> Any:
        begun.append(step)
        return real(self, frame, step)

    monkeypatch.setattr(incremental.Incremental, "advance", counted)
    monkeypatch.setattr(incremental, "SMALL", small)
    rng, chosen = np.random.default_rng(0), algorithm("dijkstra")
    graph = Graph.pack([300], rng.integers(0, 300, (1500, 2)))
    inputs = chosen.sample(graph, rng)
    run = run_algorithm(chosen, graph, inputs)
    assert len(begun) == 1
    assert (begun[0] == 1) is bool(small)
    assert_equal(run, run_algorithm(chosen, graph, inputs, kernel="tensor"))
    assert run.num_steps > 250
    assert len(run["distance"].steps) < 10 * graph.num_nodes


def test_without_a_compiler_runs_go_by_tensors_and_one_note_says_so(monkeypatch):
    monkeypatch.setattr(delta, "library", lambda: None)
    monkeypatch.setattr(incremental, "SMALL", 3)
    incremental._tell_of_missing_engine.cache_clear()
    bfs, path = algorithm("bfs"), Graph.pack([4], [(0, 1), (1, 2), (2, 3)])
    with pytest.warns(AlgoLensWarning, match="install a C compiler"):
        run = run_algorithm(bfs, path, {"source": torch.tensor([0])})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run.equals(run_algorithm(bfs, path, {"source": torch.tensor([0])}))
    with pytest.raises(AlgoLensError, match="was not compiled"):
        run_algorithm(bfs, path, {"source": torch.tensor([0])}, kernel="incremental")


def test_interventions_and_batches_go_by_tensors():
    bfs, path = algorithm("bfs"), Graph.pack([4, 4], [(0, 1), (1, 2), (2, 3), (4, 5)])
    source = {"source": torch.tensor([0, 1])}
    assert_equal(
        *(run_algorithm(bfs, path, source, kernel=kernel) for kernel in incremental.KERNELS)
    )
    alone = Graph.pack([4], [(0, 1), (1, 2), (2, 3)])
    never = Intervention("has_visited_neighbours", False, elements=[2])
    runs = [
        run_algorithm(
            bfs, alone, {"source": torch.tensor([0])}, interventions=[never], kernel=kernel
        )
        for kernel in incremental.KERNELS
    ]
    assert_equal(*runs)
    assert runs[0].final("visited").tolist() == [True, True, False, False]


def test_runs_that_are_cut_short_and_numbers_that_outgrow_their_bits():
    chosen = algorithm("bellman_ford")
    cycle = Graph.pack([3], [(0, 1), (1, 2), (2, 0)], directed=True)
    inputs = {"weight": torch.tensor([-1, -1, -1]), "source": torch.tensor([0])}
    assert both(chosen, cycle, inputs) == 3
    sort = algorithm("topological_sort", bits=2)
    path = Graph.pack([9], [(node, node + 1) for node in range(8)], directed=True)
    words = [
        outcome(lambda kernel=kernel: run_algorithm(sort, path, {}, kernel=kernel))
        for kernel in incremental.KERNELS
    ]
    assert isinstance(words[0], str)
    assert words[0] == words[1]
    assert "bits hold" in words[0]


class Dominated(Algorithm):
    """A node is worse where another is less in both numbers: no order of one key finds it."""

    name, group, graphs = "dominated", "orders", "any"
    most_steps = 3 * per(Node)
    a, b = Node.input(number(4)), Node.input(number(4))
    is_worse = Node.derived("some other node (its a < my a & its b < my b)")
    worse = Node.output(mask, start="False", becomes="is_worse")


def test_what_goes_over_pairs_is_said():
    chosen = Dominated()
    assert incremental.compares_pairs(chosen) == ["is_worse"]
    graph = Graph.pack([3], [(0, 1)])
    inputs = {"a": torch.tensor([1, 2, 3]), "b": torch.tensor([1, 2, 3])}
    run_algorithm(chosen, graph, inputs)
    with pytest.raises(AlgoLensError, match=r"does not run by the incremental.*in several ways"):
        run_algorithm(chosen, graph, inputs, kernel="incremental")


# ---- what a step costs


def many_edges(kind: str, nodes: int, rng: np.random.Generator) -> np.ndarray:
    """Five random edges a node, a star, or a grid; each leads to the higher node."""
    if kind == "star":
        return np.stack([np.zeros(nodes - 1, int), np.arange(1, nodes)], 1)
    if kind == "grid":
        width = int(nodes**0.5)
        places = np.arange(width**2).reshape(width, width)
        beside = [(places[:, :-1], places[:, 1:]), (places[:-1], places[1:])]
        return np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in beside])
    ends = np.sort(rng.integers(0, nodes, (5 * nodes, 2)), 1)
    return ends[ends[:, 0] != ends[:, 1]]


def rows_for_a_change(chosen: Any, kind: str, nodes: int, most_steps: int) -> float:
    """How many rows the engine goes through for each value that changes, the first step aside.

    A step counts as a change: something is asked even where nothing changes.
    """
    rng = np.random.default_rng(1)
    edges = many_edges(kind, nodes, rng)
    graph = Graph.pack([int(edges.max()) + 1], edges, directed=chosen.graphs == "directed")
    inputs = dict(chosen.sample(graph, rng))
    start = chosen.start(graph, inputs)
    frame = start | {
        name: np.zeros(graph.count(field.at), dtype=field.dtype)
        for name, field in chosen.declaration.predicted.items()
        if name not in start
    }
    taker: Any = incremental.Incremental(chosen, graph, inputs, {}, keeps=True, always=True)
    engine = delta.Engine(taker._described(incremental.declared_program(chosen), frame))
    engine.look()
    engine.run(1, ALL)
    before = engine.asked()
    engine.run(min(int(chosen.max_steps(graph)[0]), most_steps), ALL)
    changes = sum((engine.changes(name)[0] > 0).sum() for name in engine.described.traced)
    return float((engine.asked() - before) / max(1, changes + engine.now() - 1))


# a step takes a range of numbers at once, and nothing lists rows by ranges
GOES_OVER_ALL = [("maximum_subarray", "random")]


@pytest.mark.parametrize("kind", ["random", "star", "grid"])
@pytest.mark.parametrize("name", DECLARED)
def test_what_a_step_costs_grows_with_its_changes_and_not_with_the_graph(name, kind):
    chosen = algorithm(name)
    try:
        small, large = (rows_for_a_change(chosen, kind, nodes, 5000) for nodes in (300, 3000))
    except AlgoLensError:  # too few colors for such a graph
        pytest.skip("it takes no such graph")
    if (name, kind) in GOES_OVER_ALL:
        assert large > 1.5 * small
        pytest.xfail("a step goes over all rows")
    assert small or large or kind == "star", "no step was taken"
    assert large <= 1.5 * max(small, 2), (small, large)


# ---- the library in C


def test_threads_run_side_by_side():
    """There is no state outside an engine."""
    chosen, rng = algorithm("dijkstra"), np.random.default_rng(3)
    drawn = []
    for _ in range(8):
        graph = Graph.pack([200], many_edges("random", 200, rng))
        drawn.append((graph, chosen.sample(graph, rng)))

    def run(given: Any) -> Any:
        return run_algorithm(chosen, *given, kernel="incremental")

    with ThreadPoolExecutor(4) as pool:
        for given, made in zip(drawn, pool.map(run, drawn), strict=True):
            assert_equal(made, run(given))


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_ceiling_on_memory_holds_and_tensors_go_on(monkeypatch, share):
    chosen, rng = algorithm("prim"), np.random.default_rng(4)
    graph = Graph.pack([500], many_edges("random", 500, rng))
    inputs = chosen.sample(graph, rng)
    needed = []

    class Noted(delta.Engine):
        def values(self, name: str) -> np.ndarray:
            needed.append(self.used())
            return super().values(name)

    monkeypatch.setattr(delta, "Engine", Noted)
    whole = run_algorithm(chosen, graph, inputs, kernel="incremental")
    ceiling = int(share * needed[-1])
    monkeypatch.setattr(incremental, "memory_there", lambda: (ceiling, False))
    needed.clear()
    run = run_algorithm(chosen, graph, inputs, kernel="incremental")
    assert all(used <= ceiling for used in needed)
    assert_equal(run, whole)


def test_a_wrong_description_is_refused():
    """Every word of one is bounded by what it counts or names."""
    chosen, rng = algorithm("dijkstra"), np.random.default_rng(5)
    graph = Graph.pack([6], [(0, 1), (1, 2), (2, 3), (3, 4), (1, 4)])
    inputs = chosen.sample(graph, rng)
    frame = run_algorithm(chosen, graph, inputs, kernel="tensor")
    taker: Any = incremental.Incremental(chosen, graph, inputs, {}, keeps=True, always=True)
    state = {name: frame.start[name] for name in chosen.declaration.state}
    described = taker._described(incremental.declared_program(chosen), state)
    words = described.words()
    for place in range(0, len(words), 3):
        for wrong in (-(2**40), 2**40):
            damaged = words.copy()
            damaged[place] = wrong
            described.words = lambda damaged=damaged: damaged
            try:
                delta.Engine(described, ceiling=10**8)
            except delta.NotIncremental:
                continue
    described.words = lambda: words[:-1]
    with pytest.raises(delta.NotIncremental):
        delta.Engine(described)


SANITIZED = """
import ctypes, sys
import numpy as np
from algolens.arrays import equal
from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError
from algolens.engines import delta, run_algorithm
from tests.conformance.cases import random_case
from tests.engines.test_incremental import DECLARED, assert_equal, graph_for, outcome

library = delta.declared(ctypes.CDLL(sys.argv[1]))
delta.library = lambda: library
chosen, rng = [algorithm(name) for name in DECLARED], np.random.default_rng(6)
for each in chosen * int(sys.argv[2]):
    graph = graph_for(each, rng, 8 if each.declaration.most_steps.per == "pair" else 12)
    inputs = each.sample(graph, rng)
    runs = (run_algorithm(each, graph, inputs, kernel=k) for k in ("incremental", "tensor"))
    assert_equal(*runs)
for seed in range(int(sys.argv[3])):
    case = random_case(seed)
    outcome(lambda: run_algorithm(case.algorithm, case.graph, case.inputs))
"""


@pytest.mark.skipif(which("gcc") is None, reason="gcc is not installed")
def test_sanitizers_find_nothing(tmp_path):
    """No access outside of what is allocated, nothing undefined, on graphs of any kind."""
    library, source = tmp_path / "delta.so", Path(delta.__file__).with_name("delta.c")
    flags = ["-std=c11", "-O1", "-g", "-shared", "-fPIC", "-fno-sanitize-recover=all"]
    command = ["gcc", *flags, "-fsanitize=address,undefined", str(source), "-o", str(library)]
    if run_process(command, capture_output=True).returncode:
        pytest.skip("gcc has no sanitizers")
    loaded = [
        run_process(["gcc", f"-print-file-name=lib{name}.so"], capture_output=True, text=True)
        for name in ("asan", "ubsan")
    ]
    many = ("10", "1000") if is_thorough() else ("1", "20")
    ran = run_process(
        [sys.executable, "-c", SANITIZED, str(library), *many],
        env={
            **os.environ,
            "LD_PRELOAD": " ".join(each.stdout.strip() for each in loaded),
            "ASAN_OPTIONS": "detect_leaks=0",  # Python's own
            "OMP_NUM_THREADS": "1",
        },
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
