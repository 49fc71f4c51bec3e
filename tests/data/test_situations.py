"""Arbitrary situations: what they may be, and that what is called true there is."""

from __future__ import annotations

import networkx as nx
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.data import Setting, Situations, arbitrary
from algolens.fields import Location, Number
from algolens.graphs import stream
from tests.models.networks import numbers, several
from tests.strategies import batches, parts, streams

names = st.sampled_from(["bfs", "coloring", "kruskal"])


@several
@given(names, st.integers(1, 12), st.integers(1, 9), numbers)
def test_any_graph_in_any_state(name, count, most_nodes, seed):
    chosen = algorithm(name)
    setting = arbitrary(chosen, count, stream(seed), most_nodes)
    graph = setting.graph
    assert graph.num_graphs == count
    assert int(graph.node_counts.min()) >= 1
    assert int(graph.node_counts.max()) <= most_nodes
    declared = {**chosen.declaration.predicted, **chosen.declaration.inputs}
    assert set(setting.inputs) == set(chosen.declaration.inputs)
    assert set(setting.state) == set(chosen.declaration.state)
    for each, values in {**setting.inputs, **setting.state}.items():
        field = declared[each]
        assert len(values) == graph.count(field.location)
        assert values.dtype == field.kind.dtype
        if isinstance(field.kind, Number):
            _, ranked = field.kind.fit(graph, field.location, values.tolist())
            assert not ranked  # they are in range, and distinct where they must be


def test_arbitrary_graphs_are_of_every_shape():
    """Of graphs of up to 4 nodes, all are drawn; and every state of two nodes."""
    setting = arbitrary(algorithm("bfs"), 800, stream(0), most_nodes=4)
    met = {(len(graph), *sorted(degree for _, degree in graph.degree)) for graph in parts(setting.graph)}
    atlas = [graph for graph in nx.graph_atlas_g() if 1 <= len(graph) <= 4]
    assert met == {(len(graph), *sorted(degree for _, degree in graph.degree)) for graph in atlas}  # tells these 18 apart
    pairs = (setting.graph.node_counts == 2).nonzero().flatten()
    visited = setting.state["visited"][setting.graph.take(pairs).nodes].view(-1, 2)
    assert len(visited.unique(dim=0)) == 4


@several
@given(st.sampled_from(["bfs", "coloring"]), numbers)
def test_what_is_true_there_is_what_the_algorithm_sees(name, seed):
    chosen = algorithm(name)
    met = Situations.of(chosen, arbitrary(chosen, 5, stream(seed), 7))
    seen = chosen.perceive(met.setting.graph, met.setting.inputs, met.setting.state)
    program = chosen.declaration.program
    for i, concept in enumerate(chosen.declaration.concepts):
        assert torch.equal(met.concepts[:, i], seen[concept])
    for output, values in program.decide(met.concepts).items():
        assert torch.equal(met.outputs[output], values)
    assert (met.goes_on is None) == (not chosen.declaration.terminates)
    if met.goes_on is not None:
        asks, owner = program.goes_on(met.concepts), met.setting.graph.node_owner
        assert met.goes_on.tolist() == [bool(asks[owner == g].any()) for g in range(met.setting.graph.num_graphs)]


@several
@given(batches(), streams(), st.integers(4, 16), st.sampled_from([None, "neighbours", "graph"]))
def test_numbers_that_are_alike_are_numbers_all_the_same(graph, rng, bits, distinct):
    kind = Number(bits, low=1, distinct=distinct)
    values = kind.draw_alike(graph, Location.NODE, rng)
    assert not kind.fit(graph, Location.NODE, values.tolist())[1]


def test_numbers_that_are_alike_differ_first_at_every_place_alike_often():
    setting = arbitrary(algorithm("coloring", bits=16), 4_000, stream(1))
    senders, receivers = setting.graph.links
    differ = setting.inputs["priority"][senders] ^ setting.inputs["priority"][receivers]
    place = torch.bincount(torch.log2(differ.double()).long(), minlength=16) / len(differ)
    assert float(place.min()) > 0.01  # drawn evenly, the last place would come first once in 65,536


@several
@given(st.sampled_from([algorithm("coloring"), algorithm("kruskal", flat_sets=True)]), numbers)
def test_settings_taken_one_by_one_and_joined_are_the_settings(chosen, seed):
    setting = arbitrary(chosen, 5, stream(seed), 7)
    again = Setting.join([setting.take(chosen, [place]) for place in range(5)])
    assert torch.equal(again.graph.edges, setting.graph.edges)
    for part, other in ((again.inputs, setting.inputs), (again.state, setting.state)):
        assert all(torch.equal(part[name], other[name]) for name in other)


@several
@given(numbers)
def test_hints_are_those_that_the_algorithm_sees(seed):
    chosen = algorithm("kruskal", flat_sets=True)
    met = Situations.of(chosen, arbitrary(chosen, 5, stream(seed), 7))
    seen = chosen.perceive(met.setting.graph, met.setting.inputs, met.setting.state)
    assert met.hints.keys() == chosen.declaration.hints.keys()
    assert all(torch.equal(values, seen[name]) for name, values in met.hints.items())
