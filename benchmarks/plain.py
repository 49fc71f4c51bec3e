"""The yardstick: the same algorithms and concepts in plain NetworkX and Python, one graph at a
time.

Written as one would for clarity, with the usual care for speed: sets and dictionaries, no work done
twice.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import networkx as nx
import torch

Step = dict[str, Any]


def make_graph(family: str, num_nodes: int, rng: random.Random) -> nx.Graph:
    """A graph of a family."""
    seed = rng.randrange(2**32)
    if family == "ladder":
        return nx.ladder_graph(num_nodes // 2)
    if family == "grid":
        rows = max(rows for rows in range(1, math.isqrt(num_nodes) + 1) if num_nodes % rows == 0)
        return nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, num_nodes // rows))
    if family == "tree":
        return nx.from_prufer_sequence([rng.randrange(num_nodes) for _ in range(num_nodes - 2)])
    if family == "erdos_renyi":
        return nx.gnp_random_graph(num_nodes, min(math.log2(num_nodes) / num_nodes, 0.5), seed=seed)
    if family == "barabasi_albert":
        return nx.barabasi_albert_graph(num_nodes, rng.choice((4, 5)), seed=seed)
    if family == "community":
        return nx.random_partition_graph([num_nodes // 4] * 4, 0.7, 0.01, seed=seed)
    if family == "caveman":
        graph = nx.caveman_graph(4, num_nodes // 4)
        graph.remove_edges_from([edge for edge in graph.edges if rng.random() < 0.7])
        for _ in range(math.floor(0.025 * num_nodes + 0.5)):
            one, other = rng.sample(range(4), 2)
            graph.add_edge(
                one * num_nodes // 4 + rng.randrange(num_nodes // 4),
                other * num_nodes // 4 + rng.randrange(num_nodes // 4),
            )
        return graph
    if family == "configuration":
        graph = nx.Graph(nx.configuration_model([5] * num_nodes, seed=seed))
        graph.remove_edges_from(nx.selfloop_edges(graph))
        return graph
    raise ValueError(family)


def bfs_trace(graph: nx.Graph, rng: random.Random) -> list[Step]:
    """Breadth-first search from a random node, with its concepts at every step."""
    visited = dict.fromkeys(graph, False)
    visited[rng.choice(list(graph))] = True
    trace, going_on = [], True
    while going_on:
        reached = {
            node: visited[node] or any(visited[other] for other in graph[node]) for node in graph
        }
        following = {
            node: reached[node] or any(reached[other] for other in graph[node]) for node in graph
        }
        going_on = any(following[node] and not reached[node] for node in graph)
        concepts = {"has_been_visited": visited, "has_visited_neighbours": reached}
        trace.append({"concepts": concepts, "visited": reached, "goes_on": going_on})
        visited = reached
    return trace


def coloring_trace(graph: nx.Graph, rng: random.Random) -> list[Step]:
    """Parallel coloring with its concepts at every step; random priorities are drawn again until
    they serve.
    """
    while True:
        priority = {node: rng.randrange(256) for node in graph}
        if all(priority[u] != priority[v] for u, v in graph.edges):
            trace = _colored(graph, priority)
            if trace is not None:
                return trace


def _colored(graph: nx.Graph, priority: dict[int, int]) -> list[Step] | None:
    color = dict.fromkeys(graph, 0)
    trace: list[Step] = []
    while True:
        seen = {node: {color[other] for other in graph[node]} for node in graph}
        concepts = {
            f"color_{k}_seen": {node: k in seen[node] for node in graph} for k in range(1, 6)
        }
        concepts["is_colored"] = {node: color[node] != 0 for node in graph}
        concepts["has_priority"] = {
            node: color[node] == 0
            and all(priority[other] < priority[node] for other in graph[node] if color[other] == 0)
            for node in graph
        }
        following = dict(color)
        for node, has_priority in concepts["has_priority"].items():
            if has_priority:
                free = next((k for k in range(1, 6) if k not in seen[node]), None)
                if free is None:
                    return None
                following[node] = free
        going_on = any(value == 0 for value in following.values())
        trace.append({"concepts": concepts, "color": following, "goes_on": going_on})
        color = following
        if not going_on:
            return trace


def kruskal_trace(graph: nx.Graph, rng: random.Random) -> list[Step]:
    """Kruskal's algorithm with random distinct weights, with its concepts and hints at every
    step.
    """
    edges = list(graph.edges)
    number = {edge: i for i, edge in enumerate(edges)}
    weight = dict(zip(edges, rng.sample(range(1, 1024), len(edges)), strict=True))
    priority = dict(zip(graph, rng.sample(range(1024), len(graph)), strict=True))
    parent = {node: node for node in graph}
    in_mst, visited = dict.fromkeys(edges, False), dict.fromkeys(edges, False)
    trace: list[Step] = []
    for edge in sorted(edges, key=weight.__getitem__):
        visited = {**visited, edge: True}
        root = {node: _root(parent, node) for node in graph}
        same_set = {(u, v): root[u] == root[v] for u, v in edges}
        before, parent = parent, dict(parent)
        for end in edge:
            while before[end] != end:
                parent[end] = root[end]
                end = before[end]
        one, other = root[edge[0]], root[edge[1]]
        if one != other:
            winner, loser = (one, other) if priority[one] > priority[other] else (other, one)
            parent[loser] = winner
        concepts = {
            "lighter_edges_visited": visited,
            "nodes_in_same_set": same_set,
            "edge_in_mst": in_mst,
        }
        in_mst = {e: in_mst[e] or (visited[e] and not same_set[e]) for e in edges}
        hints: Step = {
            "next_edge": number[edge],
            "ends_in_same_set": one == other,
            "parent": parent,
        }
        hints["keeps_parent"] = {node: parent[node] == before[node] for node in graph}
        trace.append({"concepts": concepts, "in_mst": in_mst, "hints": hints})
    return trace


def as_tensors(graph: nx.Graph, trace: list[Step], output: str) -> dict[str, torch.Tensor]:
    """A trace as a network needs it, which is what AlgoLens gives: concepts, outputs, hints and
    edges as tensors.
    """
    names = list(trace[0]["concepts"])
    result = {
        "edge_index": torch.tensor(list(graph.edges)).T,
        "concepts": torch.tensor(
            [[list(step["concepts"][name].values()) for name in names] for step in trace]
        ),
        output: torch.tensor([list(step[output].values()) for step in trace]),
    }
    if "goes_on" in trace[0]:
        result["goes_on"] = torch.tensor([step["goes_on"] for step in trace])
    for hint in trace[0].get("hints", {}):
        values = [step["hints"][hint] for step in trace]
        result[hint] = torch.tensor(
            [list(value.values()) if isinstance(value, dict) else value for value in values]
        )
    return result


def _root(parent: dict[int, int], node: int) -> int:
    while parent[node] != node:
        node = parent[node]
    return node


TRACES: dict[str, Callable[[nx.Graph, random.Random], list[Step]]] = {
    "bfs": bfs_trace,
    "coloring": coloring_trace,
    "kruskal": kruskal_trace,
}
