"""The NetworkX backend: on random graphs it gives what NetworkX gives, or leaves the call to it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.approximation.kcomponents import _AntiGraph as AntiGraph
from networkx.algorithms.dag import has_cycle

import algolens
from algolens.dispatch.backend import interface
from algolens.dispatch.dispatch_graph import convert_from_nx
from algolens.dispatch.functions import FUNCTIONS as OURS
from algolens.dispatch.offers import OFFERS

GRAPHS_EACH = 8
FUNCTIONS = {
    name: {"color": nx.bipartite.color, "has_cycle": has_cycle}.get(name) or getattr(nx, name)
    for name in OFFERS
}
DIRECTION = {False: "undirected", True: "directed"}
# whose order NetworkX does not promise
UNORDERED = ("strongly_connected_components", "articulation_points")
# what is left to NetworkX often on graphs with ties, and on lists in any order
OFTEN_LEFT = {"dfs_edges", *(name for name in OFFERS if "path" in name and "length" not in name)}


def random_graph(rng: np.random.Generator, *, directed: bool, weights: str) -> nx.Graph:
    """Up to 12 nodes with names in any order, edges in any order, some of them self-loops."""
    count = int(rng.integers(1, 13))
    graph = nx.DiGraph() if directed else nx.Graph()
    names = [f"n{number}" for number in rng.permutation(count)]
    graph.add_nodes_from(names)
    most = max(1, int(rng.integers(0, 2 * count + 1)))
    pairs = [tuple(rng.choice(names, 2).tolist()) for _ in range(most)]
    if rng.random() < 0.8:
        pairs = [(u, v) for u, v in pairs if u != v]
    if directed and rng.random() < 0.5:
        pairs = [(min(u, v), max(u, v)) for u, v in pairs if u != v]
    if rng.random() < 0.5:  # lists in the order of the nodes
        pairs.sort(key=lambda pair: sorted(map(names.index, pair)))
    for u, v in pairs:
        graph.add_edge(u, v, weight=drawn_weight(rng, weights))
    return graph


def drawn_weight(rng: np.random.Generator, weights: str) -> int | float:
    """A weight of a kind: whole, a float, or now one and now the other."""
    match weights:
        case "small":
            return int(rng.integers(0, 4))
        case "large":
            return int(rng.integers(1, 10**6))
        case "huge":  # no float holds all of these
            return 2 ** int(rng.integers(50, 58)) + int(rng.integers(0, 3))
        case "decimal":
            return int(rng.integers(1, 30)) / 10
        case "tenths":  # many paths are equally long until their sums are rounded
            return int(rng.integers(1, 4)) / 10
        case "float":
            return float(rng.random())
        case "spread":  # some are lost when added to others
            return float(10 ** rng.uniform(-6, 12))
        case "negative":
            return int(rng.integers(-1, 6))
        case "negative tenths":
            return int(rng.integers(-1, 6)) / 10
    kinds = weights.split(" and ")
    return drawn_weight(rng, kinds[rng.integers(len(kinds))])


def arguments(name: str, graph: nx.Graph, rng: np.random.Generator) -> dict[str, Any]:
    """Arguments that the function takes, drawn."""
    nodes = list(graph)
    drawn: dict[str, Any] = {}
    for argument in OFFERS[name].takes:
        if argument in ("source", "target", "n"):
            drawn[argument] = nodes[rng.integers(len(nodes))]
        elif argument == "distance":
            drawn[argument] = int(rng.integers(0, 4))
        elif argument == "k":
            drawn[argument] = [None, 0, 1, 2, 3][rng.integers(5)]
        elif argument == "key":
            drawn[argument] = [None, lambda node: node[-1]][rng.integers(2)]
        elif argument == "data":
            drawn[argument] = bool(rng.integers(2))
    return drawn


def plain(name: str, call: Any, given: dict[str, Any]) -> Any:
    """What a call gives in a form that compares, or the kind of its error."""
    try:
        result = call(**given)
        result = list(result) if hasattr(result, "__next__") else result
    except NotImplementedError:
        raise
    except (nx.NetworkXException, ValueError) as problem:
        return type(problem)
    if isinstance(result, nx.Graph):
        return dict(result.nodes(data=True)), {
            frozenset(ends): data for *ends, data in result.edges(data=True)
        }
    if name in UNORDERED:
        return Counter(frozenset(part) if isinstance(part, set) else part for part in result)
    return result


def by_backend(name: str, graph: nx.Graph, **given: Any) -> Any:
    """A call as NetworkX makes it: asked for first, converted, carried out."""
    is_whole = name == "k_core" or given.get("data", "data" in OFFERS[name].takes)
    converted = interface.convert_from_nx(
        graph,
        edge_attrs={"weight": 1} if "weight" in OFFERS[name].takes and not is_whole else None,
        preserve_edge_attrs=is_whole,
        preserve_node_attrs=is_whole,
    )
    return getattr(interface, name)(converted, **given)


@pytest.mark.parametrize("name", OFFERS)
def test_it_gives_what_networkx_gives(name):
    rng = np.random.default_rng(sum(map(ord, name)))
    kinds = {"any": (False, True), "undirected": (False,), "directed": (True,)}[OFFERS[name].graphs]
    carried_out = 0
    for number in range(GRAPHS_EACH):
        weights = ("small", "large", "decimal", "float")[number % 4]
        graph = random_graph(rng, directed=kinds[number % len(kinds)], weights=weights)
        given = arguments(name, graph, rng)
        try:
            ours = plain(name, partial(by_backend, name, graph), given)
        except NotImplementedError:
            continue
        carried_out += 1
        theirs = plain(name, partial(FUNCTIONS[name], graph, backend="networkx"), given)
        assert ours == theirs, (graph.edges(data=True), given)
    assert carried_out >= GRAPHS_EACH / (3 if name in OFTEN_LEFT else 1.5)


WEIGHTS = ["small", "large", "huge", "decimal", "tenths", "float", "spread", "negative"]
WEIGHTS += ["negative tenths", "small and tenths", "large and float", "huge and float"]
LEFT = {"huge and float", "negative", "negative tenths"}  # whole kinds that may be left


def with_types(result: Any) -> Any:
    """A result that equals another only where its numbers are of the same types."""
    match result:
        case dict():
            return {key: with_types(value) for key, value in result.items()}
        case tuple() | list():
            return [with_types(value) for value in result]
        case int() | float():
            return type(result), result
    return result


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", [name for name in OFFERS if "weight" in OFFERS[name].takes])
def test_weights_of_any_kind_give_numbers_and_paths_of_networkx_or_are_left(name, weights):
    rng = np.random.default_rng(sum(map(ord, name + weights)))
    carried_out = 0
    for number in range(12):
        directed = OFFERS[name].graphs == "any" and number % 2 == 1
        graph = random_graph(rng, directed=directed, weights=weights)
        given = arguments(name, graph, rng)
        try:
            ours = plain(name, partial(by_backend, name, graph), given)
        except NotImplementedError:
            continue
        carried_out += 1
        theirs = plain(name, partial(FUNCTIONS[name], graph, backend="networkx"), given)
        assert with_types(ours) == with_types(theirs), (graph.edges(data=True), given)
    assert carried_out or weights in LEFT


def test_rounding_that_makes_another_path_the_shortest_is_not_answered_otherwise():
    """Of a cycle, both ways are near; sums of floats decide, as they do in NetworkX."""
    rng, answered = np.random.default_rng(2), 0
    for _ in range(60):
        graph = nx.cycle_graph(10)
        for u, v in graph.edges:
            graph[u][v]["weight"] = int(rng.integers(1, 4)) / 10
        graph[0][9]["weight"] = (
            sum(int(10 * graph[n][n + 1]["weight"] + 0.5) for n in range(9)) / 10
        )
        for name in ("dijkstra", "bellman_ford"):
            single = getattr(nx, f"single_source_{name}")
            theirs = single(graph, 0, 9, backend="networkx")
            try:
                ours = by_backend(f"single_source_{name}", graph, source=0, target=9)
            except NotImplementedError:
                continue
            assert ours == theirs
            answered += 1
    assert answered


@pytest.mark.parametrize("kind", ["whole", "words", "sets", "nested sets", "not a number"])
def test_nodes_are_sorted_as_networkx_sorts_them_or_not_at_all(kind):
    rng, answered = np.random.default_rng(4), 0
    for _ in range(100):
        names = [str(name) for name in rng.permutation(8)]
        graph = nx.DiGraph()
        graph.add_nodes_from(names)
        pairs = rng.choice(names, (int(rng.integers(0, 10)), 2)).tolist()
        graph.add_edges_from((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1])
        draw = {
            "whole": lambda: int(rng.integers(0, 3)),
            "words": lambda: "ab"[rng.integers(2)] * int(rng.integers(3)),
            "sets": lambda: frozenset(rng.integers(0, 3, 2).tolist()),
            "nested sets": lambda: frozenset(range(int(rng.integers(3)))),
            "not a number": lambda: [1.0, 2.0, float("nan")][rng.integers(3)],
        }[kind]
        keys = {name: draw() for name in names}
        sort = FUNCTIONS["lexicographical_topological_sort"]
        try:
            ours = by_backend("lexicographical_topological_sort", graph, key=keys.__getitem__)
        except NotImplementedError:
            continue
        assert list(ours) == list(sort(graph, key=keys.__getitem__, backend="networkx"))
        answered += 1
    assert answered == 100 or kind in ("sets", "not a number")


@pytest.mark.parametrize("directed", [False, True])
def test_what_calls_leave_with_a_graph_changes_no_later_one(directed):
    """Looks and weights are kept: calls in any order give what they give on a graph read anew."""
    rng = np.random.default_rng(3)
    names = [name for name in OFFERS if OFFERS[name].graphs in ("any", DIRECTION[directed])]
    for weights in ("small", "float"):
        graph = random_graph(rng, directed=directed, weights=weights)
        kept = convert_from_nx(graph, edge_attrs={"weight": 1})
        for name in rng.permutation(names * 2).tolist():
            given = arguments(name, graph, rng) | ({"data": False} if "spanning" in name else {})
            function = getattr(interface, name)
            first, again = (
                left_or(name, partial(function, converted), given)
                for converted in (convert_from_nx(graph, edge_attrs={"weight": 1}), kept)
            )
            assert first == again, (name, given)


def left_or(name: str, call: Any, given: dict[str, Any]) -> Any:
    """What a call gives, or why it is left to NetworkX."""
    try:
        return plain(name, call, given)
    except NotImplementedError as problem:
        return str(problem)


def test_every_offer_has_a_function():
    assert set(OFFERS) == set(OURS)


@pytest.mark.parametrize(
    ("name", "graph", "given", "why"),
    [
        ("connected_components", nx.MultiGraph([(0, 1)]), {}, "multigraphs"),
        ("connected_components", nx.DiGraph([(0, 1)]), {}, "takes undirected graphs"),
        ("connected_components", nx.Graph(), {}, "without nodes"),
        (
            "single_source_dijkstra_path_length",
            nx.path_graph(3),
            {"source": 0, "cutoff": 1},
            "cutoff other than None is left",
        ),
        (
            "dijkstra_path",
            nx.path_graph(3),
            {"source": 0, "target": 1, "weight": lambda *_: 1},
            "that a function gives",
        ),
        ("dijkstra_path", nx.path_graph(3), {"source": 0}, "missing a required argument"),
        (
            "greedy_color",
            nx.path_graph(3),
            {"strategy": "DSATUR"},
            "strategy other than 'largest_first' is left",
        ),
        ("dijkstra_path", nx.cycle_graph(4), {"source": 0, "target": 2}, "equally short"),
        (
            "dijkstra_path_length",
            nx.Graph([(0, 1, {"weight": -1})]),
            {"source": 0, "target": 1},
            "not negative",
        ),
        (
            "minimum_spanning_edges",
            nx.Graph([(0, 1, {"weight": float("nan")})]),
            {"data": False},
            "is nan: only finite",
        ),
        (
            "minimum_spanning_edges",
            nx.cycle_graph(4),
            {"algorithm": "prim"},
            "algorithm other than 'kruskal' is left",
        ),
        ("core_number", AntiGraph([(0, 1)]), {}, "AntiGraph says itself who"),
        ("dfs_edges", nx.Graph([(0, 2), (2, 1), (0, 1)]), {}, "in another order"),
    ],
)
def test_what_it_leaves_to_networkx_it_says_why(name, graph, given, why):
    with pytest.raises(NotImplementedError, match=why):
        by_backend(name, graph, **given)


@pytest.mark.parametrize("name", OFFERS)
def test_what_networkx_stops_early_stays_there(name):
    """On a long graph, with what is asked for near its beginning."""
    looked_at: list[Any] = []

    class Neighbours(dict[Any, Any]):
        def __iter__(self) -> Any:
            for neighbour in super().__iter__():
                looked_at.append(neighbour)
                yield neighbour

        def items(self) -> Any:
            return ((neighbour, self[neighbour]) for neighbour in self)

    cls = nx.DiGraph if OFFERS[name].graphs == "directed" else nx.Graph
    counted = type("Asked", (cls,), {"adjlist_inner_dict_factory": Neighbours})
    triangle = [(0, 1), (1, 2), (0, 2)]  # no two colors do, and no way leads back
    graph = counted([*triangle, *((node, node + 1) for node in range(3, 2_000))])
    near = {"source": 0, "target": 1, "n": 0, "distance": 1}
    given = {argument: near[argument] for argument in OFFERS[name].takes if argument in near}
    should = interface.should_run(name, (graph,), given)
    assert (should is True) == (OFFERS[name].stops_by is None)
    if should is not True:
        looked_at.clear()
        FUNCTIONS[name](graph, **given, backend="networkx")
        assert 0 < len(looked_at) <= 6, should
    if OFFERS[name].stops_by == "target":
        assert interface.should_run(name, (graph,), {**given, "target": None}) is True


def test_a_graph_comes_back_as_it_was():
    graph = nx.Graph([("a", "b", {"weight": 0.5})], name="town")
    assert interface.convert_to_nx(interface.convert_from_nx(graph)) is graph


def test_the_page_lists_what_takes_the_backend_by_name_and_what_does_not():
    page = (Path(__file__).parents[2] / "docs" / "engines.md").read_text()
    rows = [
        line.split("|")
        for line in page.split("### What it offers")[1].partition("\n###")[0].splitlines()
    ]
    rows = [row for row in rows if len(row) == 5][2:]
    direct, within = (
        {name.removeprefix("bipartite.") for row in rows for name in re.findall(r"`(\S+)`", row[n])}
        for n in (1, 3)
    )
    assert direct - {"largest_first"} == set(OFFERS)
    assert within
    assert not within & set(OFFERS)


AS_A_USER = """
import sys
import networkx as nx
assert "torch" not in sys.modules, "importing NetworkX imports PyTorch"
assert "AlgoLens' dijkstra" in nx.dijkstra_path.__doc__
graph = nx.Graph([("a", "b", {"weight": 2}), ("b", "c", {"weight": 3}), ("a", "c", {"weight": 9})])
graph.add_edges_from([("c", "d"), ("d", "e")])
with nx.config(backend_priority=["algolens"]):  # small graphs are left to NetworkX
    assert nx.dijkstra_path(graph, "a", "c") == ["a", "b", "c"]
    assert nx.descendants(graph, "a") == {"b", "c", "d", "e"}
    assert nx.is_connected(graph) and len(list(nx.bridges(nx.path_graph(5)))) == 4
    assert nx.number_connected_components(nx.MultiGraph([(0, 1)])) == 1
assert "torch" not in sys.modules, "five nodes import PyTorch"
assert nx.dijkstra_path(graph, "a", "c", backend="algolens") == ["a", "b", "c"]
assert "algolens.engines" in sys.modules and "torch" not in sys.modules
try:
    nx.dijkstra_path(graph, "a", "nowhere", backend="algolens")
except nx.NetworkXNoPath:
    pass

def cause(function, *args, **kwargs):
    try:
        function(*args, backend="algolens", **kwargs)
    except NotImplementedError as problem:
        return str(problem.__cause__)

several = nx.MultiGraph([(0, 1)])
for _ in range(2):  # the first leaves nothing behind that hides the cause
    lengths = nx.single_source_dijkstra_path_length
    assert "cutoff other than None" in cause(lengths, graph, "a", cutoff=1)
    assert "multigraphs are left" in cause(nx.is_connected, several)
    assert "without nodes" in cause(nx.is_connected, nx.Graph())
    assert "equally short" in cause(nx.dijkstra_path, nx.cycle_graph(4), 0, 2)
    assert "takes undirected graphs" in cause(nx.greedy_color, nx.DiGraph([(0, 1)]))
long = nx.path_graph(3_000)
algolens = nx.utils.backends._load_backend("algolens")
calls, descendants = [], algolens.descendants
algolens.descendants = lambda *args: calls.append(args) or descendants(*args)
with nx.config(backend_priority=["algolens"]):  # what is left is NetworkX's own
    assert nx.descendants(graph, "a") == {"b", "c", "d", "e"} and not calls
    assert len(nx.descendants(long, 0)) == 2_999 and calls
    assert nx.single_source_dijkstra_path_length(graph, "a", cutoff=2) == {"a": 0, "b": 2}
    assert nx.dijkstra_path(nx.cycle_graph(4_000), 0, 2_000) == list(range(2_001))
    algolens.has_path = None  # NetworkX does not call it
    assert nx.has_path(long, 0, 2_999)
    long.add_edge(0, 2_999, weight=1)
    assert nx.dijkstra_path(long, 0, 2_999) == [0, 2_999]
"""


def test_networkx_finds_it_loads_it_late_and_falls_back(tmp_path):
    project = Path(__file__).parents[2] / "pyproject.toml"
    points = tomllib.loads(project.read_text())["project"]["entry-points"]
    # as an installation writes it
    folder = tmp_path / "algolens-0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: algolens\nVersion: 0\n")
    (folder / "entry_points.txt").write_text(
        "\n".join(f"[{group}]\nalgolens = {given['algolens']}" for group, given in points.items())
    )
    path = os.pathsep.join([str(tmp_path), str(Path(algolens.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", AS_A_USER],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
