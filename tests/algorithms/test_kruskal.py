"""Kruskal's algorithm against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from algolens.algorithms import algorithm, algorithms
from algolens.arrays import NUMPY
from algolens.engines import Stopped, run_algorithm
from algolens.errors import GraphError
from algolens.graphs import Graph, from_networkx, sample, stream
from tests.strategies import batches, parts, streams

KRUSKAL, FLAT = algorithm("kruskal_union_find"), algorithm("kruskal")


@given(batches(), streams())
def test_the_final_edges_are_the_minimum_spanning_forest(graph, rng):
    inputs = KRUSKAL.sample(graph, rng)
    run = run_algorithm(KRUSKAL, graph, inputs)
    chosen, weight = run.final("in_mst"), inputs["weight"]
    assert np.array_equal(run.lengths, graph.edge_counts)
    assert (run.stopped == Stopped.BY_COUNT).all()
    for i, part in enumerate(parts(graph)):
        edges = (graph.edge_owner == i).nonzero().flatten()
        ends = [tuple(pair) for pair in (graph.edges[:, edges] - graph.first_node[i]).T.tolist()]
        for edge, (u, v) in zip(edges.tolist(), ends, strict=True):
            part.edges[u, v]["weight"] = int(weight[edge])
        forest = {frozenset(pair) for pair in nx.minimum_spanning_edges(part, data=False)}
        assert {
            frozenset(pair) for edge, pair in zip(edges, ends, strict=True) if chosen[edge]
        } == forest


@given(batches(), streams())
def test_steps_go_by_weight_and_sets_are_the_components_so_far(graph, rng):
    inputs = KRUSKAL.sample(graph, rng)
    run = run_algorithm(KRUSKAL, graph, inputs)
    for i in range(graph.num_graphs):
        alone = run.take([i])
        weight, ends = alone.inputs["weight"], alone.graph.edges.T.tolist()
        order = weight.argsort().tolist()
        forest = nx.empty_graph(alone.graph.num_nodes)
        for step, edge in enumerate(order):
            assert alone["next_edge"][step][0] == edge
            assert alone["lighter_edges_visited"][step].nonzero().flatten().tolist() == sorted(
                order[: step + 1]
            )
            same = [nx.has_path(forest, u, v) for u, v in ends]
            assert alone["nodes_in_same_set"][step].tolist() == same
            assert alone["ends_in_same_set"][step][0] == same[edge]
            if not same[edge]:
                forest.add_edge(*ends[edge])
            assert alone["in_mst"][step].sum() == forest.number_of_edges()
            assert partition(alone["parent"][step].tolist()) == sorted(
                sorted(part) for part in nx.connected_components(forest)
            )


@given(batches(), streams())
def test_pointers_in_a_circle_come_to_an_end_and_stay_in_their_graph(graph, rng):
    """No run of the algorithm brings them about, but one of a network may: it is seen alike alone
    and in company.
    """
    graph = graph.to(NUMPY)
    inputs = KRUSKAL.sample(graph, rng)
    room = graph.node_counts[graph.node_owner]
    state = {
        "in_mst": rng.random(graph.num_edges) < 0.5,
        "lighter_edges_visited": rng.random(graph.num_edges) < 0.5,
        "parent": (rng.random(graph.num_nodes) * room).astype("int64"),
    }
    seen, fields = KRUSKAL.perceive(graph, inputs, state), KRUSKAL.declaration.predicted
    for i in range(graph.num_graphs):
        part = graph.take([i])
        alone = KRUSKAL.perceive(
            part.graph,
            {
                name: inputs[name][part.index(KRUSKAL.declaration.inputs[name].at)]
                for name in inputs
            },
            {name: state[name][part.index(fields[name].at)] for name in state},
        )
        for name, value in alone.items():
            assert np.array_equal(value, seen[name][part.index(fields[name].at)]), name


@given(batches(), streams())
def test_pointers_compress_paths_and_the_higher_priority_wins(graph, rng):
    inputs = KRUSKAL.sample(graph, rng)
    run = run_algorithm(KRUSKAL, graph, inputs)
    for i in range(graph.num_graphs):
        alone = run.take([i])
        priority, parent = alone.inputs["priority"].tolist(), list(range(alone.graph.num_nodes))
        for step in range(alone.num_steps):
            u, v = alone.graph.edges[:, int(alone["next_edge"][step][0])].tolist()
            before = list(parent)
            union(parent, priority, u, v)
            assert alone["parent"][step].tolist() == parent
            assert alone["keeps_parent"][step].tolist() == [
                a == b for a, b in zip(before, parent, strict=True)
            ]


def find(parent: list[int], node: int) -> int:
    """The textbook's, with path compression."""
    if parent[node] != node:
        parent[node] = find(parent, parent[node])
    return parent[node]


def union(parent: list[int], priority: list[int], u: int, v: int) -> None:
    a, b = find(parent, u), find(parent, v)
    if a != b:
        winner, loser = (a, b) if priority[a] > priority[b] else (b, a)
        parent[loser] = winner


def partition(parent: list[int]) -> list[list[int]]:
    sets: dict[int, list[int]] = {}
    for node in range(len(parent)):
        root = node
        while parent[root] != root:
            root = parent[root]
        sets.setdefault(root, []).append(node)
    return sorted(sorted(members) for members in sets.values())


@pytest.mark.parametrize("num_nodes", [20, 5000])
def test_weights_are_distinct_at_any_size(num_nodes):
    graph = sample("erdos_renyi", num_nodes, 3, stream(0))
    roomy = KRUSKAL.with_room_for(graph)
    weight = roomy.sample(graph, stream(1))["weight"]
    assert int(weight.min()) >= 1
    assert len(np.unique([graph.edge_owner, weight], axis=1).T) == graph.num_edges


def test_too_few_bits_are_named():
    graph = sample("erdos_renyi", 500, 1, stream(0))
    with pytest.raises(GraphError, match="declare 12 bits"):
        KRUSKAL.sample(graph, stream(0))


def test_a_users_weights_are_ranked_where_they_must_be():
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        [("a", "b", 0.5), ("b", "c", -3), ("a", "c", 0.5), ("c", "d", 5000)]
    )
    packed = from_networkx(graph)
    inputs, notes = KRUSKAL.read(packed, stream(0))
    assert any("weight" in note and "rank" in note for note in notes)
    run = run_algorithm(KRUSKAL, packed, inputs)
    chosen = {
        tuple(sorted(packed.name_of(int(end)) for end in packed.edges[:, i]))
        for i in np.flatnonzero(run.final("in_mst"))
    }
    assert sum(graph.edges[pair]["weight"] for pair in chosen) == nx.minimum_spanning_tree(
        graph
    ).size("weight")


def test_a_graph_without_weights_is_refused():
    with pytest.raises(GraphError, match="kruskal_union_find needs a 'weight' for every edge"):
        KRUSKAL.read(from_networkx(nx.path_graph(3)), stream(0))


@given(batches(), streams())
def test_concepts_are_defined_in_any_state(graph, rng):
    """Also where no run ever comes: what exact training will draw."""
    graph = graph.to(NUMPY)
    inputs = KRUSKAL.sample(graph, rng)
    fields = KRUSKAL.declaration.predicted
    drawn = {name: fields[name].draw(graph, rng) for name in ("in_mst", "lighter_edges_visited")}
    seen = KRUSKAL.perceive(graph, inputs, drawn | {"parent": graph.place("node")})
    assert (seen["lighter_edges_visited"] | ~drawn["lighter_edges_visited"]).all()
    assert np.array_equal(seen["edge_in_mst"], drawn["in_mst"])


def test_an_edgeless_graph_takes_no_step():
    run = run_algorithm(
        KRUSKAL, Graph.pack([3], []), KRUSKAL.sample(Graph.pack([3], []), stream(0))
    )
    assert run.num_steps == 0
    assert run.final("parent").tolist() == [0, 1, 2]
    assert run.final("in_mst").tolist() == []


# ---- flat sets


@given(batches(), streams())
def test_with_flat_sets_every_step_is_the_same_but_for_the_pointers(graph, rng):
    """The paper's is the independent truth here: it agrees with NetworkX, above."""
    inputs = KRUSKAL.sample(graph, rng)
    flat, forest = run_algorithm(FLAT, graph, inputs), run_algorithm(KRUSKAL, graph, inputs)
    assert np.array_equal(flat.patterns(), forest.patterns())
    assert flat.outputs["in_mst"].equals(forest.outputs["in_mst"])
    for step in range(flat.num_steps):
        assert partition(absolute(graph, flat["parent"][step])) == partition(
            absolute(graph, forest["parent"][step])
        )


@given(batches(), streams())
def test_flat_sets_point_to_their_roots_and_the_higher_priority_wins(graph, rng):
    inputs = KRUSKAL.sample(graph, rng)
    run = run_algorithm(FLAT, graph, inputs)
    for i in range(graph.num_graphs):
        alone = run.take([i])
        priority, sets = (
            alone.inputs["priority"].tolist(),
            [{k} for k in range(alone.graph.num_nodes)],
        )
        root = {k: k for k in range(alone.graph.num_nodes)}
        for step, edge in enumerate(alone.inputs["weight"].argsort().tolist()):
            u, v = alone.graph.edges[:, edge].tolist()
            ours, theirs = (next(each for each in sets if end in each) for end in (u, v))
            joins = ours is not theirs
            assert alone["joins"][step].nonzero().flatten().tolist() == [edge] * joins
            assert alone["united"][step].nonzero().flatten().tolist() == (
                sorted({root[u], root[v]}) if joins else []
            )
            if joins:
                winner = max(root[u], root[v], key=lambda node: priority[node])
                sets = [each for each in sets if each is not ours and each is not theirs] + [
                    ours | theirs
                ]
                root |= dict.fromkeys(ours | theirs, winner)
            assert alone["parent"][step].tolist() == [root[k] for k in range(alone.graph.num_nodes)]


@given(batches(), streams())
def test_numbering_nodes_anew_permutes_a_run_with_flat_sets(graph, rng):
    graph = graph.to(NUMPY)
    inputs = KRUSKAL.sample(graph, rng)  # no two alike, so numbers decide nothing
    new = np.empty(graph.num_nodes, int)
    for i in range(graph.num_graphs):
        nodes = np.flatnonzero(graph.node_owner == i)
        new[nodes] = rng.permutation(nodes)
    renamed = Graph.pack(graph.node_counts, new[graph.edges].T)
    place = {frozenset(pair): i for i, pair in enumerate(renamed.edges.T.tolist())}
    edges = np.array([place[frozenset(pair)] for pair in new[graph.edges].T.tolist()], int)
    moved = {
        "weight": inputs["weight"][edges.argsort()],
        "priority": inputs["priority"][new.argsort()],
    }
    run, again = run_algorithm(FLAT, graph, inputs), run_algorithm(FLAT, renamed, moved)
    assert np.array_equal(run.patterns(), again.patterns()[:, edges])
    for step in range(run.num_steps):
        pointers = absolute(renamed, again["parent"][step])
        assert [pointers[k] for k in new.tolist()] == new[
            absolute(graph, run["parent"][step])
        ].tolist()


@given(batches(), streams())
def test_with_flat_sets_truth_is_defined_wherever_pointers_lead(graph, rng):
    """Circles too, and nodes that point to one that points elsewhere."""
    graph = graph.to(NUMPY)
    inputs, fields = KRUSKAL.sample(graph, rng), FLAT.declaration.predicted
    state = {name: fields[name].draw(graph, rng) for name in FLAT.declaration.state}
    seen = FLAT.perceive(graph, inputs, state)
    goal, weight, priority = (
        absolute(graph, state["parent"]),
        inputs["weight"].tolist(),
        inputs["priority"].tolist(),
    )
    ends, visited = graph.edges.T.tolist(), state["considered"].tolist()
    assert seen["nodes_in_same_set"].tolist() == [goal[u] == goal[v] for u, v in ends]
    after, joining, next_edges = list(goal), set(), set()
    for i in range(graph.num_graphs):
        waiting = [e for e in range(graph.num_edges) if graph.edge_owner[e] == i and not visited[e]]
        if waiting:
            edge = min(waiting, key=lambda e: weight[e])
            next_edges.add(edge)
            low, high = sorted((goal[end] for end in ends[edge]), key=lambda node: priority[node])
            joining |= {edge} if low != high else set()
            # a node that is to point to itself, though it did not, is told so by nobody else
            after = [
                high if each == low and node != high else each for node, each in enumerate(after)
            ]
    assert set(np.flatnonzero(seen["joins"]).tolist()) == joining
    assert set(np.flatnonzero(seen["united"]).tolist()) == {
        goal[end] for edge in joining for end in ends[edge]
    }
    assert absolute(graph, seen["parent"]) == after
    assert seen["lighter_edges_visited"].tolist() == [
        was or e in next_edges for e, was in enumerate(visited)
    ]


def absolute(graph: Graph, parent: np.ndarray) -> list[int]:
    """Pointers numbered through the batch."""
    return (parent + graph.first_node[graph.node_owner]).tolist()


@given(batches(), streams())
def test_equal_weights_and_priorities_are_told_apart_by_their_numbers(graph, rng):
    """As if each were the pair of itself and its number: what the paper's sets are given here,
    which take no equal ones.
    """
    graph = graph.to(NUMPY)
    weight = rng.integers(1, 4, graph.num_edges)
    priority = rng.integers(0, 3, graph.num_nodes)
    ties = {"weight": weight, "priority": priority}
    apart = {
        "weight": weight * 64 + graph.place("edge"),
        "priority": priority * 64 + graph.place("node"),
    }
    flat, forest = run_algorithm(FLAT, graph, ties), run_algorithm(KRUSKAL, graph, apart)
    assert np.array_equal(flat.patterns(), forest.patterns())
    assert flat.outputs["in_mst"].equals(forest.outputs["in_mst"])
    for step in range(flat.num_steps):
        roots = absolute(graph, flat["parent"][step])
        assert partition(roots) == partition(absolute(graph, forest["parent"][step]))


def test_the_variant_is_seen_in_python_and_not_listed():
    assert KRUSKAL.declaration.in_python
    assert not FLAT.declaration.in_python
    assert KRUSKAL.data_name == FLAT.name
    assert KRUSKAL.name not in algorithms()
    assert set(KRUSKAL.declaration.hints) == {
        "next_edge",
        "ends_in_same_set",
        "keeps_parent",
        "parent",
    }
