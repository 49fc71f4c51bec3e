"""One law for every algorithm: a graph with self-loops or parallel edges is refused, or what is
found is right on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np
import pytest

from algolens.algorithms import Algorithm, algorithms
from algolens.engines import Run, run_algorithm
from algolens.errors import GraphError
from algolens.evaluation.reference import agreement
from algolens.graphs import Graph, from_networkx
from tests.algorithms.test_references import roomy
from tests.effort import in_proportion

GRAPHS = in_proportion(24)
MATTERS = {"loops": "loops_matter", "parallel edges": "parallel_edges_matter"}
SAID = {"loops": "self-loop", "parallel edges": "stands more than once"}


def drawn(chosen: Algorithm, number: int, extra: str) -> tuple[nx.MultiGraph, dict[str, Any]]:
    """A random graph with self-loops or parallel edges, and what it has one of; edges between the
    same nodes are alike.
    """
    rng = np.random.default_rng(number)
    nodes = int(rng.integers(2, 9))
    simple = nx.gnp_random_graph(
        nodes, rng.random(), seed=number, directed=chosen.graphs == "directed"
    )
    simple.add_edge(0, 1)
    edges = sorted(simple.edges)
    simple.clear_edges()
    simple.add_edges_from(edges)  # in order: the neighbours that a search of NetworkX takes first
    plain = from_networkx(simple)
    inputs = chosen.sample(plain, rng)
    for name, field in chosen.declaration.inputs.items():
        at = {"node": simple.nodes, "edge": simple.edges}.get(field.at)
        if at is not None:
            places = plain.edges.T.tolist() if field.at == "edge" else simple.nodes
            for place, value in zip(places, inputs[name].tolist(), strict=True):
                at[tuple(place) if isinstance(place, list) else place][name] = value
    multi = nx.MultiDiGraph(simple) if simple.is_directed() else nx.MultiGraph(simple)
    for u, v, attributes in list(multi.edges(data=True)):
        if (extra == "parallel edges" and (u, v) == (0, 1)) or rng.random() < 0.3:
            ends = (u, u) if extra == "loops" else (u, v)
            lowest = {name: low(chosen, name) for name in attributes}
            multi.add_edge(*ends, **(lowest if extra == "loops" else attributes))
    if extra == "loops" and not nx.number_of_selfloops(multi):
        multi.add_edge(0, 0, **{name: low(chosen, name) for name in multi.edges[0, 1, 0]})
    whole = [name for name, field in chosen.declaration.inputs.items() if field.at == "graph"]
    return multi, {name: int(inputs[name][0]) for name in whole}


def low(chosen: Algorithm, name: str) -> int:
    return chosen.declaration.inputs[name].bounds[0]


def is_right(
    chosen: Algorithm, run: Run, multi: nx.MultiGraph, monkeypatch: pytest.MonkeyPatch
) -> bool:
    """Whether a run on the simple graph found what is right on this one, which NetworkX may
    refuse.
    """
    if chosen.name in JUDGES:
        return JUDGES[chosen.name](multi, run)
    reference = type(chosen).reference

    def on_multi(self: Algorithm, _: nx.Graph, inputs: Mapping[str, Any]) -> Any:
        return reference(self, multi, inputs)

    with monkeypatch.context() as patch:
        patch.setattr(type(chosen), "reference", on_multi)
        try:
            found = agreement(run)
        except nx.NetworkXException:
            return False
    assert found is not None
    return found.difference is None


def found_edges(run: Run, name: str) -> set[tuple[int, int]]:
    ends = run.graph.edges.T.tolist()
    return {(u, v) for (u, v), there in zip(ends, run.shown(name), strict=True) if there}


def is_tree(multi: nx.MultiGraph, run: Run) -> bool:
    least = sum(
        attributes["weight"] for *_, attributes in nx.minimum_spanning_edges(multi, keys=False)
    )
    return sum(multi.edges[u, v, 0]["weight"] for u, v in found_edges(run, "in_mst")) == least


def is_matching(multi: nx.MultiGraph, run: Run) -> bool:
    matched = found_edges(run, "in_matching")
    ends = [node for edge in matched for node in edge]
    can_be_added = [(u, v) for u, v in multi.edges() if u != v and u not in ends and v not in ends]
    return len(set(ends)) == len(ends) and not can_be_added


def is_coloring(multi: nx.MultiGraph, run: Run) -> bool:
    color = run.shown("color")
    return all(color[u] != color[v] for u, v in multi.edges())


def is_independent(multi: nx.MultiGraph, run: Run) -> bool:
    status = run.shown("status")
    return not any(status[u] == status[v] == "chosen" for u, v in multi.edges())


def are_bridges(multi: nx.MultiGraph, run: Run) -> bool:
    return found_edges(run, "is_bridge") == {(min(edge), max(edge)) for edge in nx.bridges(multi)}


JUDGES: dict[str, Callable[[nx.MultiGraph, Run], bool]] = {
    "kruskal": is_tree,
    "boruvka": is_tree,
    "matching": is_matching,
    "coloring": is_coloring,
    "independent_set": is_independent,
    "bridges": are_bridges,
}


@pytest.mark.parametrize("extra", MATTERS)
@pytest.mark.parametrize("name", sorted(algorithms()))
def test_it_is_refused_or_what_is_found_is_right(
    name: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = roomy(name)
    matters = getattr(chosen, MATTERS[extra])
    multigraphs, taken = [], []
    for number in range(GRAPHS):
        multi, whole = drawn(chosen, number, extra)
        given = from_networkx(multi)
        if matters:
            with pytest.raises(GraphError, match=SAID[extra]) as refused:
                chosen.read(given, np.random.default_rng(0), **whole)
            assert "\n" not in str(refused.value)
            given = from_networkx(
                nx.DiGraph(without_loops(multi))
                if given.directed
                else nx.Graph(without_loops(multi))
            )
        inputs, notes = chosen.read(given, np.random.default_rng(0), **whole)
        assert matters or any(SAID[extra] in note for note in notes)
        multigraphs.append(multi)
        taken.append((given, inputs))
    together = {
        field: np.concatenate([inputs[field] for _, inputs in taken]) for field in taken[0][1]
    }
    joined = Graph.join([given for given, _ in taken])
    run = run_algorithm(chosen, joined, together).without_trace()
    right = [
        is_right(chosen, run.take([place]), multi, monkeypatch)
        for place, multi in enumerate(multigraphs)
    ]
    assert all(right) != matters  # and none is refused for nothing


def without_loops(multi: nx.MultiGraph) -> nx.MultiGraph:
    found = multi.copy()
    found.remove_edges_from(list(nx.selfloop_edges(multi, keys=True)))
    return found
