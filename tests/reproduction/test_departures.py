"""What departs from the paper is found from what an experiment is; nobody has to say so, and nobody
can forget to.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from typing import Any, cast
from unittest.mock import Mock

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.arrays import all_to
from algolens.cli.models import train_command
from algolens.cli.options import described
from algolens.errors import AlgoLensError
from algolens.experiment.config import preset
from algolens.graphs import sample, stream
from algolens.models import Architecture, Network, disjoint_sets
from algolens.models.disjoint_sets import DisjointSets
from algolens.models.packing import Packing
from algolens.models.recurrent import Recurrent
from algolens.protocol import PRESETS, protocol
from algolens.records import Experiment
from algolens.reproduction import departures
from algolens.reproduction.departures import OF_CONCEPTS, departures_of, facts_of
from algolens.training import Schedule
from tests.models.networks import patient

NAMES = ("bfs", "coloring", "kruskal")
PAPERS = [
    (name, model) for name in NAMES for model in PRESETS if model != "oracle" or name == "coloring"
]


def made(name: str, model: str = "paper", **others: object) -> Experiment:
    return replace(preset(model, algorithm(name)), seeds=tuple(range(5)), **others)  # type: ignore[arg-type]


def told(experiment: Experiment) -> dict[str, object]:
    return {each.what: each.ours for each in departures_of(experiment)}


def facts(name: str, model: str) -> dict[str, dict[str, Any]]:
    return protocol(name, model, at_nodes=algorithm(name).declaration.location == "node")


# ---- nothing is forgotten


def test_every_setting_is_a_fact_of_the_protocol():
    """Whoever adds a setting says what the paper has in its place."""
    known = facts("coloring", "paper")
    assert {field.name for field in fields(Schedule)} <= set(known)
    # bits: of networks not the paper's
    assert {field.name for field in fields(Architecture)} - {"message_bits"} <= set(known)


@pytest.mark.parametrize(("name", "model"), [each for each in PAPERS if each[1] != "exact"])
def test_a_network_after_the_papers_states_every_fact(name, model):
    experiment = made(name, model)
    left_out = set() if experiment.architecture.bottleneck else set(OF_CONCEPTS)
    assert set(facts(name, model)) - set(facts_of(experiment)) == left_out
    assert "network" not in told(experiment)


@pytest.mark.parametrize("name", ["bfs", "coloring", "kruskal"])
def test_a_network_of_another_kind_is_said_to_be_one(name):
    assert "no memory" in str(told(made(name, "exact"))["network"])


@pytest.mark.parametrize(("name", "model"), PAPERS)
def test_what_a_preset_is_called_claims_no_more_than_it_is(name, model):
    """As long as something departs, it is 'after' the paper."""
    said = dict(re.findall(r"`([a-z-]+)`: (.*?)(?=; `|$)", described(train_command)[1]["preset"]))
    if departures_of(made(name, model)) and "paper" in said[model]:
        assert "after the paper's" in said[model]


# ---- as in the paper


# of the code's min-finder: see models/disjoint_sets.py
WITHOUT_EFFECT = {"finder_decoder_layers", "parameters"}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_literal_departs_from_the_text_only_where_the_code_does(name):
    known = {str(fact["what"]): key for key, fact in facts(name, "paper-literal").items()}
    for each in departures_of(made(name, "paper-literal")):
        if name != "kruskal" or known[each.what] not in WITHOUT_EFFECT:
            assert set(each.said) == {"text", "code"}, each
            assert each.ours == each.said["code"] != each.said["text"], each


def test_only_the_papers_algorithms_are_trained_literally():
    with pytest.raises(
        AlgoLensError,
        match="the paper trains no network for components, only for bfs, coloring, kruskal",
    ):
        preset("paper-literal", algorithm("components"))


def test_the_literal_encoder_ends_with_leaky_relu_as_stated():
    """Of BFS, which has one field; of coloring, it always does."""
    usual, literal = (
        Network(algorithm("bfs"), made("bfs", model).architecture, (0,))
        for model in ("paper", "paper-literal")
    )
    literal.load_state_dict(usual.state_dict())
    joined, memory = torch.randn(1, 5, 32), torch.randn(1, 5, 32)
    plain, ended = (
        cast(Recurrent, each.perceiver).encoder(joined, memory) for each in (usual, literal)
    )
    torch.testing.assert_close(ended, torch.where(plain > 0, plain, 0.01 * plain))
    assert told(made("bfs"))["after the encoder's last layer"] == "nothing"


def test_graphs_are_of_the_experiments_families():
    experiment = made("bfs", "paper-literal")
    assert experiment.recipe.families == experiment.families
    assert Experiment.from_json(json.loads(json.dumps(experiment.to_json()))) == experiment


# ---- settings


@patient
@given(
    st.sampled_from(["bfs", "coloring", "kruskal"]),
    st.sampled_from(
        [
            "epochs",
            "learning_rate",
            "decay",
            "beta2",
            "clip",
            "weight_decay",
            "smoothing",
            "batch_size",
            "validate_every",
        ]
    ),
)
def test_a_setting_departs_unless_it_is_the_papers(name, field):
    fact = facts(name, "paper")[field]
    theirs: Any = fact.get("text", fact.get("code"))
    as_theirs = replace(made(name).schedule, **{field: theirs})
    assert fact["what"] not in told(made(name, schedule=as_theirs))
    another: Any = theirs + 1 if isinstance(theirs, int) else theirs + 0.0005
    other = replace(as_theirs, **{field: another})
    assert told(made(name, schedule=other))[str(fact["what"])] == another


@pytest.mark.parametrize("decay", [0.0, 0.05])
@pytest.mark.parametrize("name", NAMES)
def test_the_optimiser_is_the_papers_unless_weights_decay(name, decay):
    """AdamW without weight decay is Adam, step by step; with it, another optimiser."""
    found = told(made(name, schedule=replace(made(name).schedule, weight_decay=decay)))
    weights = [torch.nn.Parameter(torch.tensor([0.3, -2.0])) for _ in range(2)]
    kinds = (
        torch.optim.Adam([weights[0]], 0.1),
        torch.optim.AdamW([weights[1]], 0.1, weight_decay=decay),
    )
    for weight, optimiser in zip(weights, kinds, strict=True):
        for _ in range(3):
            weight.grad = weight.detach() ** 2
            optimiser.step()
    assert found.get("optimiser", "Adam") == ("Adam" if torch.equal(*weights) else "AdamW")


def test_the_presets_own_epochs_depart_where_they_are_not_the_papers():
    found = told(made("coloring"))
    assert (found["epochs"], found["pruning epoch"], found["smoothing of labels"]) == (
        600,
        400,
        0.2,
    )
    assert "selection on validation" in found
    assert "epochs" not in told(made("kruskal"))


def test_fewer_seeds_graphs_and_other_options_depart():
    found = told(replace(made("coloring", held_out=16), seeds=(3,), options={"colors": 7}))
    assert list(found)[:2] == ["seeds", "epochs"]  # how much was trained comes first
    assert (found["seeds"], found["colors"]) == (1, 7)
    assert found["graphs to validate on, and to test on at each size"] == 16


def test_a_concept_that_is_given_departs_but_in_the_oracle_study():
    given_one = replace(made("coloring").architecture, given=("has_priority",))
    assert told(made("coloring", architecture=given_one))["concepts given by the algorithm"] == [
        "has_priority"
    ]
    assert "concepts given by the algorithm" not in told(made("coloring", "oracle"))


def test_self_loops_depart_where_nodes_have_none():
    without = replace(made("bfs").architecture, self_loops=False)
    assert told(made("bfs", architecture=without))["nodes send messages to themselves"] is False
    assert "nodes send messages to themselves" not in told(made("bfs"))
    assert "nodes send messages to themselves" not in told(made("kruskal"))


def test_another_processor_departs():
    pytest.importorskip("torch_geometric")
    other = replace(made("bfs").architecture, processor="GATv2Conv")
    assert "GATv2Conv" in str(told(made("bfs", architecture=other))["processor"])


# ---- code


def kruskal(model: str = "paper") -> DisjointSets:
    perceiver = Network(
        algorithm("kruskal_union_find"), made("kruskal", model).architecture, (0,)
    ).perceiver
    assert isinstance(perceiver, DisjointSets)
    return perceiver


def looked_at(perceiver: DisjointSets, nodes: int = 7) -> int:
    """One look at a graph; how many edges it has."""
    chosen, graph = algorithm("kruskal_union_find"), sample("grid", nodes, 1, stream(0)).to("cpu")
    inputs = all_to(chosen.sample(graph, stream(1)), "cpu")
    perceiver(perceiver.prepare(graph, inputs), chosen.start(graph, inputs), None)
    return graph.num_edges


def test_what_departs_in_kruskals_network_is_told():
    found = told(made("kruskal"))
    assert found["parameters"] == 84_550
    assert found["layers of the min-finder's decoder"] == 0
    assert (
        found["factor of the min-finder's attention logits"]
        == "the logarithm of the number of edges"
    )
    assert found["normalisation in the min-finder"] == "before each part"
    assert found["priorities seen as"] == "half of their log-odds"
    assert found["weights of classes of hints in the loss"] == {
        "keeps_parent": {"false": 60.0, "true": 1.0}
    }


@pytest.mark.parametrize("rounds", [1, 3])
def test_rounds_of_messages_are_those_of_the_code(monkeypatch, rounds):
    monkeypatch.setattr(disjoint_sets, "ROUNDS", rounds)
    assert told(made("kruskal")).get("rounds of messages along pointers in a step", 1) == rounds
    perceiver = kruskal()
    counted = Mock(wraps=perceiver.pointers.round)
    monkeypatch.setattr(perceiver.pointers, "round", counted)
    looked_at(perceiver)
    assert counted.call_count == rounds


def test_the_min_finder_has_the_layers_that_it_states():
    perceiver = kruskal()
    layers = [part for part in perceiver.finder.modules() if isinstance(part, disjoint_sets.Layer)]
    stated = perceiver.facts()
    assert len(layers) == stated["finder_layers"] + stated["finder_decoder_layers"]
    assert {part.widen.weight.shape[2] for part in layers} == {stated["finder_forward"]}


def test_the_min_finder_normalises_sums_and_sharpens_as_it_states(monkeypatch):
    perceiver = kruskal()
    layer = cast(disjoint_sets.Layer, perceiver.finder.layers[0])
    seen = Mock(wraps=layer.forward)
    monkeypatch.setattr(layer, "forward", seen)
    edges = looked_at(perceiver)
    sharpness = seen.call_args.args[2]
    torch.testing.assert_close(sharpness, torch.full((edges,), float(edges)).log())
    # with both parts silent, what comes in goes out: nothing is scaled, or normalised on the way
    with torch.no_grad():
        for part in (layer.output, layer.narrow):
            part.weight.zero_()
            cast(torch.Tensor, part.bias).zero_()
    x = torch.randn(1, edges, perceiver.width)
    packing = Packing.of(torch.tensor([edges]))
    torch.testing.assert_close(layer(x, packing, sharpness), x)


def priorities_seen(perceiver: DisjointSets, priority: torch.Tensor) -> torch.Tensor:
    """What the pointer network is given for the priorities of nodes without an edge."""
    given: list[torch.Tensor] = []
    perceiver.pointers.join.register_forward_hook(lambda _, inputs, __: given.append(inputs[0]))
    no_edge = torch.zeros(2, 0, dtype=torch.int64)
    perceiver.join(priority, torch.zeros(1, 0, dtype=torch.bool), no_edge)
    return given[0][0, :, 0]


def test_priorities_are_seen_as_stated():
    priority = torch.tensor([0, 511, 1023])
    share = (priority + 0.5) / 1024
    seen = priorities_seen(kruskal(), priority)
    torch.testing.assert_close(seen, 0.5 * torch.log(share / (1 - share)))


def test_priorities_are_seen_as_numbers_where_literal():
    seen = priorities_seen(kruskal("paper-literal"), torch.tensor([0, 511, 1023]))
    torch.testing.assert_close(seen, torch.tensor([0.5, 511.5, 1023.5]) / 1024)


def test_the_ends_of_an_edge_may_change_places_as_stated():
    head = kruskal().head
    edges, nodes, ends = (
        torch.randn(1, 4, 32),
        torch.randn(1, 5, 32),
        torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]),
    )
    torch.testing.assert_close(head(edges, nodes, ends), head(edges, nodes, ends.flip(0)))


@pytest.mark.parametrize("name", ["bfs", "coloring", "kruskal"])
def test_parameters_are_counted_and_are_those_of_one_seed(name):
    counts = set()
    for seeds in ((0,), (1, 2, 3)):
        network = Network(made(name).find_algorithm(), made(name).architecture, seeds)
        counts.add(network.facts()["parameters"])
        assert (
            sum(each[0].numel() for each in network.parameters()) == network.facts()["parameters"]
        )
    assert len(counts) == 1


def test_an_algorithm_that_the_paper_does_not_know_is_said_to_be_one(monkeypatch):
    monkeypatch.setattr(departures, "known_algorithms", lambda: ("coloring", "kruskal"))
    first = departures_of(made("bfs"))[0]
    assert (first.what, first.ours, first.said) == (
        "algorithm",
        "bfs",
        {"text": ["coloring", "kruskal"]},
    )
