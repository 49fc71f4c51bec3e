"""What is tried: every small graph in free running, and samples of larger ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations, product

import networkx as nx
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.certification.certificate import Basis, Check
from algolens.evaluation import free_run, right_graphs
from algolens.execution import execute_trusted
from algolens.fields import Field, Location, Number, Pointer
from algolens.graphs import Graph, sample, stream
from algolens.models import Network

MOST_NODES = 7  # of NetworkX's atlas
ALL_ORDERS = {Location.NODE: 5, Location.EDGE: 6}  # nodes, or edges, up to which every order of distinct numbers is tried
MOST_LABELLINGS = 32  # of a graph's nodes
WAYS_AT_ONCE = 2_000  # combinations of inputs that are run together
DRAWS = 10  # of inputs that are not gone through one by one
SAMPLED_SIZES, SAMPLED_GRAPHS = (20, 50, 100), 10  # nodes, and graphs of each family


def small_graphs(network: Network) -> list[Check]:
    """Free running on every graph of NetworkX's atlas: with every input where there are few enough, else with drawn ones."""
    inputs = network.algorithm.declaration.inputs
    sizes = [(graph.number_of_nodes(), graph.number_of_edges()) for graph in _atlas(MOST_NODES)]
    ways = {size: _all_inputs(network.algorithm, *size) for size in sorted(set(sizes))}
    most = min((nodes - 1 for (nodes, _), here in ways.items() if not here), default=MOST_NODES)
    what = " and ".join(f"every order of {name}" if _is_order(field) else f"every {name}" for name, field in inputs.items())
    checks = [_tried(network, most, ways, f", with {what}" if what else "")] if most else []
    if most < MOST_NODES:
        checks.append(_tried(network, MOST_NODES, {}, f", with inputs drawn {DRAWS} times"))
    return checks


def larger_graphs(network: Network) -> Check:
    """Free running on random graphs of the algorithm's families."""
    algorithm = network.algorithm
    failures, cases = 0, 0
    for size in SAMPLED_SIZES:
        rng = stream(0, "certificate", algorithm.name, size)
        graph = Graph.join([sample(family, size, SAMPLED_GRAPHS, rng) for family in algorithm.recipe.families])
        failures += int((~_right(network, graph, algorithm.sample(graph, rng))).sum())
        cases += graph.num_graphs
    sizes = ", ".join(map(str, SAMPLED_SIZES))
    return Check("larger graphs", Basis.SAMPLED, cases, failures, f"On random graphs of {sizes} nodes, every step is right.")


def _tried(network: Network, most: int, ways: Mapping[tuple[int, int], list[dict[str, Tensor]]], what: str) -> Check:
    """Runs of the network beside those of the algorithm, on all graphs of up to so many nodes.

    ways: by numbers of nodes and edges, every combination of inputs; where there are none, inputs are drawn.
    """
    rng = stream(0, "small graphs", network.algorithm.name)
    graphs = _atlas(most)
    groups: dict[tuple[int, int], list[nx.Graph]] = {}
    for graph in graphs:  # where inputs are drawn, those of one size are drawn together
        groups.setdefault((len(graph), graph.number_of_edges() if ways else 0), []).append(graph)
    failures, cases, first = 0, 0, None
    fields = network.algorithm.declaration.inputs.items()
    for group, alike in sorted(groups.items()):
        here = ways.get(group, [])
        for some in [here[i : i + WAYS_AT_ONCE] for i in range(0, len(here), WAYS_AT_ONCE)] or [[]]:
            packed = _packed(alike * (len(some) or DRAWS), group[0])
            if some:
                inputs = {name: torch.cat([way[name].repeat(len(alike)) for way in some]) for name, _ in fields}
            else:
                inputs = {name: field.kind.draw(packed, field.location, rng) for name, field in fields}
            right = _right(network, packed, inputs)
            cases, failures = cases + len(right), failures + int((~right).sum())
            if first is None and not right.all():
                which = alike[int((~right).nonzero()[0]) % len(alike)]
                first = f"a graph of {group[0]} nodes with edges {list(which.edges)}"
    says = f"In free running, every step is right on all {len(graphs)} graphs of up to {most} nodes{what}."
    return Check("small graphs", Basis.EXHAUSTIVE if ways else Basis.SAMPLED, cases, failures, says, first)


def _atlas(most: int) -> list[nx.Graph]:
    return [graph for graph in nx.graph_atlas_g() if 1 <= graph.number_of_nodes() <= most]


@torch.no_grad()
def _right(network: Network, graph: Graph, inputs: Values) -> Tensor:
    """[G] bools: is a graph's run right?"""
    truth = execute_trusted(network.algorithm, graph, inputs)
    return right_graphs(free_run(network, truth), truth)


def _packed(graphs: list[nx.Graph], size: int) -> Graph:
    edges = [(u + i * size, v + i * size) for i, graph in enumerate(graphs) for u, v in graph.edges]
    return Graph.pack([size] * len(graphs), edges)


def _is_order(field: Field) -> bool:
    return isinstance(field.kind, Number) and field.kind.distinct is not None and field.location is not Location.GRAPH


def _all_inputs(algorithm: Algorithm, nodes: int, edges: int) -> list[dict[str, Tensor]]:
    """Every combination of inputs for one graph of so many nodes and edges; nothing where they cannot be gone through."""
    choices: list[list[Tensor]] = []
    for field in algorithm.declaration.inputs.values():
        places = edges if field.location is Location.EDGE else nodes
        if isinstance(field.kind, Pointer) and field.location is Location.GRAPH and field.kind.to is Location.NODE:
            choices.append([torch.tensor([place]) for place in range(nodes)])
        elif _is_order(field) and isinstance(field.kind, Number) and places <= ALL_ORDERS[field.location]:
            choices.append([torch.tensor(order, dtype=torch.int64) + field.kind.low for order in permutations(range(places))])
        elif field.kind.labels and field.location is Location.NODE and len(field.kind.labels) ** nodes <= MOST_LABELLINGS:
            every = product(range(len(field.kind.labels)), repeat=nodes)
            choices.append([torch.tensor(values).to(field.kind.dtype) for values in every])
        else:
            return []
    return [dict(zip(algorithm.declaration.inputs, chosen, strict=True)) for chosen in product(*choices)]
