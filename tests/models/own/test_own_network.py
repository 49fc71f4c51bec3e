"""A network of the user's own: run, taught, explained; and refused where it does not fit."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from torch import nn
from torch.testing import assert_close

from algolens.algorithms import algorithm
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.evaluation import free_run, score
from algolens.extraction.extract import extract
from algolens.graphs import Graph, sample, stream
from algolens.models import Architecture, Network, NetworkParts, add_network, gives_concepts
from algolens.models.own import OwnNetwork
from tests.models.networks import batches, few, sampled, several
from tests.models.own.modules import (
    BfsByHand,
    Convolved,
    NeverVisits,
    WithoutConcepts,
    seeing_truly,
)
from tests.strategies import streams

pytest.importorskip("torch_geometric", reason="a network of one's own reads graphs of PyG")

BFS = algorithm("bfs")
PATHS = Graph.pack([4, 1, 3], [(0, 1), (1, 2), (2, 3), (5, 6), (5, 7)])


def network_of(cls: type[nn.Module], chosen=BFS, seeds=(0,), **parts) -> Network:
    name, _ = add_network(cls)
    parts = {"width": 6, "bottleneck": gives_concepts(chosen, name), **parts}
    return Network(chosen, Architecture(processor=name, **parts), seeds)


@several
@given(batches(max_graphs=6), streams())
def test_a_module_that_is_right_runs_as_the_algorithm_does_to_the_last_bit(graph, rng):
    truth = run_algorithm(BFS, graph, sampled(BFS, graph, rng))
    run = free_run(network_of(BfsByHand), truth)
    assert run.equals(truth)
    assert score(run, truth).graphs_right == 1
    direct = free_run(network_of(WithoutConcepts), truth)
    assert (direct.has_concepts, score(direct, truth).graphs_right) == (False, 1)


@pytest.mark.parametrize(
    "name",
    ["bfs_tree", "coloring", "dijkstra", "kruskal", "kruskal_union_find", "strong_components"],
)
def test_what_a_module_is_given_suffices_to_do_what_the_algorithm_does(name):
    """Every kind of field at every location; pointers and numbers that move."""
    chosen = algorithm(name)
    graph = sample(
        str(chosen.recipe.families[0]), 6, 3, stream(0, name), directed=chosen.recipe.directed
    )
    truth = run_algorithm(chosen, graph, sampled(chosen, graph, stream(1, name)))
    network = network_of(seeing_truly(chosen), chosen)
    assert free_run(network, truth).equals(truth)


@several
@given(batches(max_graphs=6), streams())
def test_a_run_of_many_is_the_run_of_each(graph, rng):
    sockets = NetworkParts(network_of(Convolved, seeds=(int(rng.integers(99)),))).sockets
    run = run_algorithm(BFS, graph, sampled(BFS, graph, rng), **sockets)
    for i in range(graph.num_graphs):
        expected = run.take([i])
        assert run_algorithm(BFS, expected.graph, expected.inputs, **sockets).equals(expected)


def test_a_directed_graph_is_seen_with_its_directions():
    graph = Graph.pack([3], [(0, 1), (2, 1)], directed=True)
    truth = run_algorithm(BFS, graph, {"source": torch.tensor([0])})
    assert free_run(network_of(BfsByHand), truth).equals(truth)


@few
@given(batches(max_graphs=4), streams())
def test_teaching_shows_every_state_of_every_graph_as_it_is_alone(graph, rng):
    truth = run_algorithm(BFS, graph, sampled(BFS, graph, rng))
    network = network_of(Convolved, seeds=(1, 2), given=("has_been_visited",))
    perceiver = network.perceiver
    assert isinstance(perceiver, OwnNetwork)
    lessons = perceiver.lessons(truth, network.device)
    order = sorted(range(graph.num_graphs), key=lambda i: -int(truth.lengths[i]))
    taught = lessons.teach(network, torch.tensor(order), [int(truth.lengths[i]) for i in order])
    concepts, heads, asked, outputs = [], [], [], []
    runs = [truth.take([i]) for i in order]
    for step in range(truth.num_steps + 1):
        for one in (run for run in runs if step <= run.num_steps):
            scores = perceiver.scores(one.graph, {"visited": one.state("visited")[step]})
            if step < one.num_steps:
                heads.append(perceiver.head(scores))
                concepts.append(one.patterns_at(step))
                outputs.append(one.outputs["visited"][step])
            if step > 0:
                asked.append((scores["goes_on"], one.goes_on[step - 1]))
    assert torch.equal(taught.concepts > 0, torch.cat(concepts))
    assert torch.equal(taught.outputs["visited"], torch.cat(outputs))
    head = network.with_given_concepts(torch.cat(heads, 1), taught.concepts)
    assert_close(taught.head, head, atol=1e-4, rtol=1e-4)
    assert taught.goes_on is not None
    assert_close(taught.goes_on[0], torch.cat([logits for logits, _ in asked], 1))
    assert torch.equal(taught.goes_on[1] > 0, torch.cat([truth for _, truth in asked]))


def test_a_seed_has_the_same_weights_and_runs_alone_and_among_others():
    together = network_of(Convolved, seeds=(3, 4, 5))
    for place, seed in enumerate(together.seeds):
        alone = network_of(Convolved, seeds=(seed,))
        own = together.seed_weights(place)
        assert own.keys() == alone.state_dict().keys()
        assert all(torch.equal(own[name], value) for name, value in alone.state_dict().items())
        inputs = {"source": torch.tensor([0, 0, 1])}
        runs = [
            run_algorithm(BFS, PATHS, inputs, **NetworkParts(network).sockets)
            for network in (alone, together.only(place))
        ]
        assert runs[0].equals(runs[1])


def test_its_rules_are_those_it_goes_by_with_concepts_or_without():
    families = ("ladder", "caveman", "tree")
    graph = Graph.join([sample(family, 8, 6, stream(0, family)) for family in families])
    truth = run_algorithm(BFS, graph, sampled(BFS, graph, stream(1, "rules")))
    for cls, rule in (
        (BfsByHand, "has_visited_neighbours"),
        (WithoutConcepts, "has_visited_neighbours"),
        (NeverVisits, "has_been_visited"),
    ):
        extraction = extract(network_of(cls), truth)
        classes = extraction.outputs["visited"].classes
        assert {label: str(one.formula) for label, one in classes.items()} == {
            "true": rule,
            "false": f"~{rule}",
        }
        assert all(one.fidelity == 1 for one in classes.values())
        assert all((one.accuracy == 1) is (cls is not NeverVisits) for one in classes.values())
        assert extraction.to_json().get("has_concepts", True) is (cls is BfsByHand)
        said = "has no concepts: they go by the algorithm's own"
        assert (said in " ".join(extraction.rule_set.remarks)) is (cls is not BfsByHand)
    rules = extract(network_of(BfsByHand), truth).rule_set
    assert str(rules.continues) == str(BFS.declaration.rule_set.continues)


class Silent(BfsByHand):
    """It does not tell whether to go on."""

    def forward(self, data):
        scores = super().forward(data)
        del scores["goes_on"]
        return scores


def test_a_module_that_does_not_tell_goes_on_by_the_algorithms_rule_which_is_told():
    truth = run_algorithm(BFS, PATHS, {"source": torch.tensor([0, 0, 1])})
    network = network_of(Silent)
    assert free_run(network, truth).equals(truth)
    extraction = extract(network, truth)
    assert str(extraction.rule_set.continues) == str(BFS.declaration.rule_set.continues)
    assert "does not tell whether to go on" in " ".join(extraction.rule_set.remarks)
    assert network.facts()["termination"].startswith("the algorithm's own rule")


def changed(**names) -> type[nn.Module]:
    """Breadth-first search by hand, with some scores changed; None: left out."""

    class Changed(BfsByHand):
        def forward(self, data):
            scores = super().forward(data) | {
                name: None if value is None else value(data) for name, value in names.items()
            }
            return {name: value for name, value in scores.items() if value is not None}

    return Changed


class Decided(BfsByHand):
    """Its decide() gives another shape."""

    def decide(self, concepts):
        return {"visited": concepts}


class NoScores(BfsByHand):
    """It gives a tensor."""

    def forward(self, data):
        return data.x


class Failing(BfsByHand):
    """It wants another width."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(7, 2)

    def forward(self, data):
        return self.layer(data.x)


class Wants(BfsByHand):
    """Its constructor wants what nobody gives."""

    def __init__(self, depth) -> None:
        super().__init__()


@pytest.mark.parametrize(
    ("cls", "complaint"),
    [
        (changed(has_been_visited=None), r"gave no 'has_been_visited'; it gave has_visited_"),
        (
            changed(has_been_visited=lambda data: data.x),
            r"'has_been_visited' as .*\[5, 2\].*; here its scores are numbers of shape \[5\]",
        ),
        (changed(goes_on=lambda data: data.x[:, 0]), r"'goes_on' as .*of shape \[2\]"),
        (changed(has_been_visited=lambda data: data.x[:, 0] > 0), "'has_been_visited' as"),
        (changed(colour=lambda data: data.x), "gave 'colour', which is none of has_been_visited"),
        (changed(visited=lambda data: data.x[:, 1]), r"outputs and the concept 'has_been_visited'"),
        (Decided, r"Decided gave 'visited' as .*; here its scores are numbers of shape \[2\]"),
        (NoScores, r"gave a Tensor: it gives a dict of scores by name"),
        (Failing, r"fails on a graph of three nodes beside one of two .*it is given x \[5, 2\]"),
        (changed(goes_on=lambda _: torch.zeros(2).log() * 0), "gave 'goes_on' with NaN in it: let"),
        (Wants, r"cannot be made .*depth.*let all others have a default"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(cls, complaint):
    with pytest.raises(AlgoLensError, match=complaint) as refused:
        network_of(cls)
    assert "\n" not in str(refused.value)


def test_nan_that_only_some_graphs_bring_about_is_refused_when_it_comes():
    def over_neighbours(data):
        degree = torch.bincount(data.edge_index[0], minlength=len(data.x)).float()
        return (20 * data.x[:, 1] - 10) * degree / degree  # a node without neighbours has none

    network = network_of(changed(has_been_visited=over_neighbours))
    whole, lone = Graph.pack([2], [(0, 1)]), Graph.pack([3], [(0, 1)])
    assert free_run(network, run_algorithm(BFS, whole, {"source": torch.tensor([0])})).num_steps
    with pytest.raises(AlgoLensError, match="Changed gave 'has_been_visited' with NaN") as refused:
        free_run(network, run_algorithm(BFS, lone, {"source": torch.tensor([0])}))
    assert "\n" not in str(refused.value)


def test_without_concepts_a_module_must_say_when_to_stop_and_nothing_moves():
    class Direct(WithoutConcepts):
        def forward(self, data):
            return {"visited": super().forward(data)["visited"]}

    with pytest.raises(AlgoLensError, match="gave no 'goes_on'"):
        network_of(Direct)
    with pytest.raises(AlgoLensError, match=r"'\w+' moves by what is observed: give concepts"):
        network_of(BfsByHand, algorithm("bfs_tree"), bottleneck=False)
