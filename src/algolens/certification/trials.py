"""What is tried: every small graph in free running, and samples of larger ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations, product

import networkx as nx
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.certification.certificate import Basis, Check
from algolens.certification.neighbourhoods import neighbourhoods
from algolens.data import Situations, arbitrary
from algolens.evaluation import free_run
from algolens.execution import execute
from algolens.fields import Field, Location, Number, Pointer
from algolens.graphs import Graph, sample, stream
from algolens.models import Network

MOST_NODES = 7  # of NetworkX's atlas
ALL_ORDERS = 5  # nodes up to which every order of distinct numbers is tried
DRAWS = 10  # of inputs that are not gone through one by one
SAMPLED_SIZES, SAMPLED_GRAPHS = (20, 50, 100), 10  # nodes, and graphs of each family
LOCAL_GRAPHS = 2_000


def locality(algorithm: Algorithm) -> Check:
    """Whether the algorithm's own concepts depend on what the tables go by: assumed by the proof, and tried here."""
    around = neighbourhoods(algorithm)
    met = Situations.of(algorithm, arbitrary(algorithm, LOCAL_GRAPHS, stream(0, "locality", algorithm.name)))
    values, concepts = {**met.setting.inputs, **met.setting.state}, met.concepts
    own, sets = around.classes.of(values), around.sets(met.setting.graph, values)
    known = sets >= 0
    wrong = (around.truth[own[known], sets[known]] != concepts[known]).any(1)
    return Check(
        name="locality",
        basis=Basis.SAMPLED,
        cases=int(known.sum()),
        failures=int(wrong.sum()),
        says=f"In {LOCAL_GRAPHS} random graphs in random states, the algorithm's own concepts at a node depend on its class "
        "and on which kinds of neighbours it has, and on nothing else.",
        counterexample=None if not wrong.any() else "two nodes with the same class and kinds of neighbours differ in a concept",
    )


def small_graphs(network: Network) -> list[Check]:
    """Free running on every graph of NetworkX's atlas: with every input where there are few enough, else with drawn ones."""
    inputs = network.algorithm.declaration.inputs
    ways = {size: _all_inputs(network.algorithm, size) for size in range(1, MOST_NODES + 1)}
    most = max((size for size in ways if all(ways[each] for each in range(1, size + 1))), default=0)
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


def _tried(network: Network, most: int, ways: Mapping[int, list[dict[str, Tensor]]], what: str) -> Check:
    """Runs of the network beside those of the algorithm, on all graphs of up to so many nodes.

    ways: by size, every combination of inputs; where there are none, inputs are drawn.
    """
    rng = stream(0, "small graphs", network.algorithm.name)
    graphs = [graph for graph in nx.graph_atlas_g() if 1 <= graph.number_of_nodes() <= most]
    failures, cases, first = 0, 0, None
    for size in range(1, most + 1):
        alike = [graph for graph in graphs if graph.number_of_nodes() == size]
        here = ways.get(size, [])
        packed = _packed(alike * (len(here) or DRAWS), size)
        fields = network.algorithm.declaration.inputs.items()
        if here:
            inputs = {name: torch.cat([way[name].repeat(len(alike)) for way in here]) for name, _ in fields}
        else:
            inputs = {name: field.kind.draw(packed, field.location, rng) for name, field in fields}
        right = _right(network, packed, inputs)
        cases, failures = cases + len(right), failures + int((~right).sum())
        if first is None and not right.all():
            first = f"a graph of {size} nodes with edges {list(alike[int((~right).nonzero()[0]) % len(alike)].edges)}"
    says = f"In free running, every step is right on all {len(graphs)} graphs of up to {most} nodes{what}."
    return Check("small graphs", Basis.EXHAUSTIVE if ways else Basis.SAMPLED, cases, failures, says, first)


@torch.no_grad()
def _right(network: Network, graph: Graph, inputs: Values) -> Tensor:
    """[G] bools: is a graph's run right in every field of every step, and in when it stops?"""
    truth = execute(network.algorithm, graph, inputs)
    run = free_run(network, truth)
    right = run.lengths == truth.lengths
    steps = min(run.num_steps, truth.num_steps)
    location = network.algorithm.declaration.location
    wrong = (run.concepts[:steps] != truth.concepts[:steps]).any(2).any(0)
    for name, values in run.outputs.items():
        wrong |= (values[:steps] != truth.outputs[name][:steps]).any(0)
    return right & ~graph.any_per_graph(wrong, location)


def _packed(graphs: list[nx.Graph], size: int) -> Graph:
    edges = [(u + i * size, v + i * size) for i, graph in enumerate(graphs) for u, v in graph.edges]
    return Graph.pack([size] * len(graphs), edges)


def _is_order(field: Field) -> bool:
    return isinstance(field.kind, Number) and field.kind.distinct is not None and field.location is Location.NODE


def _all_inputs(algorithm: Algorithm, size: int) -> list[dict[str, Tensor]]:
    """Every combination of inputs for one graph of a size; nothing where they cannot be gone through."""
    choices: list[list[Tensor]] = []
    for field in algorithm.declaration.inputs.values():
        if isinstance(field.kind, Pointer) and field.location is Location.GRAPH and field.kind.to is Location.NODE:
            choices.append([torch.tensor([place]) for place in range(size)])
        elif _is_order(field) and size <= ALL_ORDERS and isinstance(field.kind, Number):
            choices.append([torch.tensor(order) + field.kind.low for order in permutations(range(size))])
        elif field.kind.labels and field.location is Location.NODE and len(field.kind.labels) ** size <= 2**ALL_ORDERS:
            every = product(range(len(field.kind.labels)), repeat=size)
            choices.append([torch.tensor(values).to(field.kind.dtype) for values in every])
        else:
            return []
    return [dict(zip(algorithm.declaration.inputs, chosen, strict=True)) for chosen in product(*choices)]
