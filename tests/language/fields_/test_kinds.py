"""Laws of kinds."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import Edge, Link, Node, category, mask, number, pointer
from algolens.algorithms import Graph as WholeGraph
from algolens.arrays import NUMPY, is_of, to
from algolens.errors import DefinitionError, GraphError
from algolens.graphs import Graph
from algolens.language.fields import MASK, Field
from algolens.language.values import fit
from tests.strategies import batches, streams

KINDS = [
    Node(kind)
    for kind in (mask, category(2), category(6), number(8), number(10, low=1), pointer(Node))
]


def perfect_scores(kind: Field, values: torch.Tensor, graph: Graph) -> torch.Tensor:
    """Scores that are sure of the values, in the shape the kind asks for."""
    if kind.kind == "mask":
        return values.float() * 20 - 10
    if kind.kind == "number":
        return kind.encode(values) * 20 - 10
    width = kind.width or int(graph.node_counts.max())
    return torch.nn.functional.one_hot(values, width).float() * 20


@given(st.sampled_from(KINDS), batches(), streams())
def test_sure_scores_predict_the_values_at_no_loss(kind, graph, rng):
    values = to(kind.draw(graph, rng), "cpu")
    scores = perfect_scores(kind, values, graph)
    assert is_of(values, kind.dtype)
    assert torch.equal(kind.predict(scores), values)
    assert kind.loss(scores, values).shape == values.shape
    assert (kind.loss(scores, values) < 1e-3).all()
    assert (kind.predict(scores) == values).all()
    assert kind.encode(values).shape == (*values.shape, kind.width)


@given(st.sampled_from([kind for kind in KINDS if kind.width]), batches(), streams())
def test_different_values_are_encoded_differently(kind, graph, rng):
    values = to(kind.draw(graph, rng), "cpu")
    rows = {tuple(row) for row in kind.encode(values).tolist()}
    assert len(rows) == len(set(values.tolist()))


@given(batches(), streams())
def test_pointers_stay_inside_their_graph(graph, rng):
    for place, location in ((Node, "node"), (WholeGraph, "graph")):
        values = to(place(pointer(Node)).draw(graph, rng), "cpu")
        assert (values < graph.node_counts[graph.owner(location)]).all()
        assert (values >= 0).all()


@given(batches(), streams())
def test_distinct_numbers_are_distinct(graph, rng):
    graph = graph.to(NUMPY)
    weights = Edge(number(6, low=1, distinct="graph")).draw(graph, rng)
    assert (weights >= 1).all()
    assert (weights < 64).all()
    for i in range(graph.num_graphs):
        assert len(np.unique(weights[graph.edge_owner == i])) == int(graph.edge_counts[i])
    priorities = Node(number(5, distinct="neighbours")).draw(graph, rng)
    assert (priorities[graph.edges[0]] != priorities[graph.edges[1]]).all()


@given(st.lists(st.integers(1, 3), max_size=3), st.integers(2, 5), st.integers(0, 99))
def test_the_loss_of_a_category_is_cross_entropy_at_every_place(shape, classes, seed):
    generator = torch.Generator().manual_seed(seed)
    scores, weight = (
        torch.randn(*shape, classes, generator=generator),
        torch.rand(classes, generator=generator),
    )
    truth = torch.randint(classes, shape, generator=generator)
    found = Node(category(classes)).loss(scores, truth, weight)
    assert found.shape == truth.shape
    rows = zip(found.reshape(-1), scores.reshape(-1, classes), truth.reshape(-1), strict=True)
    for each, own, value in rows:
        torch.testing.assert_close(each, -weight[value] * own.log_softmax(-1)[value])


@given(
    st.sampled_from([kind for kind in KINDS if kind.is_decided]),
    st.floats(0, 1),
    st.integers(0, 99),
)
def test_a_smoothed_loss_is_that_of_a_target_spread_over_the_classes(kind, smoothing, seed):
    generator = torch.Generator().manual_seed(seed)
    count, classes = 5, len(kind.classes)
    scores = torch.randn(count, *(() if kind.num_scores == 1 else (classes,)), generator=generator)
    weight = torch.rand(classes, generator=generator)
    values = torch.randint(classes, (count,), generator=generator)
    of_class = torch.stack(
        [kind.loss(scores, torch.full((count,), k).to(kind.dtype)) for k in range(classes)], -1
    )
    target = torch.full((count, classes), smoothing / classes)
    target[torch.arange(count), values] += 1 - smoothing
    expected = weight[values] * (target * of_class).sum(-1)
    torch.testing.assert_close(
        kind.loss(scores, values.to(kind.dtype), weight, smoothing), expected
    )


@given(batches(), streams(), st.floats(0, 1))
def test_a_smoothed_pointer_is_spread_over_the_places_that_its_graph_has(graph, rng, smoothing):
    kind = Node(pointer(Node))
    values = to(kind.draw(graph, rng), "cpu")
    room = graph.node_counts[graph.owner("node")]
    there = torch.arange(int(graph.node_counts.max())) < room[:, None]
    scores = torch.from_numpy(rng.normal(size=there.shape)).masked_fill(~there, -torch.inf)
    found = kind.loss(scores, values, smoothing=smoothing)
    for each, own, value, places in zip(found, scores, values, room, strict=True):
        target = torch.full((int(places),), smoothing / int(places), dtype=own.dtype)
        target[value] += 1 - smoothing
        torch.testing.assert_close(each, -(target * own[:places].log_softmax(-1)).sum())


def test_weights_of_classes():
    truth = torch.tensor([True, False])
    plain = MASK.loss(torch.zeros(2), truth)
    assert torch.allclose(
        MASK.loss(torch.zeros(2), truth, torch.tensor([1.0, 3.0])),
        plain * torch.tensor([3.0, 1.0]),
    )
    classes = torch.tensor([0, 2])
    plain = Node(category(3)).loss(torch.zeros(2, 3), classes)
    assert torch.allclose(
        Node(category(3)).loss(torch.zeros(2, 3), classes, torch.tensor([1.0, 1.0, 5.0])),
        plain * torch.tensor([1.0, 5.0]),
    )


def test_a_number_is_bits_highest_first():
    assert Node(number(4)).encode(torch.tensor([5])).tolist() == [[0, 1, 0, 1]]


MIXED = [-2.5, 0, Fraction(1, 2), Decimal("0.5"), 1, 2.0, 2**63, 2**63 + 1, Decimal(2**63 + 1), 700]


@given(batches(), st.data(), st.sampled_from(["graph", "neighbours"]))
def test_a_users_numbers_are_ranked_exactly_in_each_graph(graph, data, distinct):
    """Whatever they are written as; where they are kept, they are what they were."""
    graph = graph.to(NUMPY)
    place = Node if distinct == "neighbours" else Edge
    kind = place(number(9, low=1, distinct=distinct))
    count = graph.count(kind.at)
    values = data.draw(st.lists(st.sampled_from(MIXED), min_size=count, max_size=count))
    fitted, ranks = fit(kind, graph, values)
    assert not kind.outside(graph, fitted).any()
    assert kind.clash(graph, fitted) is None
    if ranks is None:
        assert fitted.tolist() == values
        return
    equals = 0
    for i in range(graph.num_graphs):
        mine = np.flatnonzero(graph.owner(kind.at) == i).tolist()
        exact = {place: Fraction(values[place]) for place in mine}
        assert sorted(mine, key=lambda place: fitted[place]) == sorted(
            mine, key=lambda place: (exact[place], place)
        )
        equals += len(mine) - len(set(exact.values()))
    assert ranks.num_equal == equals
    assert (ranks.first_equal is None) == (equals == 0)
    if ranks.first_equal is not None:
        first, second = ranks.first_equal
        assert first != second
        assert values[first] == values[second]


def test_misuse_is_refused_with_a_hint():
    with pytest.raises(DefinitionError, match="two classes"):
        Node(category(1))
    with pytest.raises(DefinitionError, match="1 to 62 bits"):
        Node(number(0))
    star = Graph.pack([20], [(0, i) for i in range(1, 20)])
    with pytest.raises(GraphError, match="declare 5 bits"):
        fit(Edge(number(4, low=1, distinct="graph")), star, [0] * 19)


def test_a_pointer_to_links_is_refused():
    with pytest.raises(
        DefinitionError, match=r"leads to a link: point to the link's sender, or to its edge"
    ):
        Node(pointer(Link))
