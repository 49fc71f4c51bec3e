"""What `compare` says of networks: equal is only what is proven of the network itself."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
import torch

import algolens as al
from algolens.algorithms import algorithm
from algolens.engines.program import Program
from algolens.experiment.explain import explain_model
from algolens.experiment.model import Model, load_model
from algolens.graphs import Recipe
from algolens.models.exact import Exact


@pytest.fixture(autouse=True)
def _few_graphs(monkeypatch, tmp_path):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    recipe = Recipe(families=("ladder", "caveman"), size=12, train=10, held_out=3, test_sizes=(12,))
    for name in ("bfs", "minimum", "coloring"):
        monkeypatch.setattr(type(algorithm(name)), "recipe", recipe)


def shipped(name: str) -> Model:
    """What ships, without its rules, which are then drawn from its weights."""
    return replace(load_model(name), extractions=None)


def test_a_shipped_network_is_equal_to_its_algorithm_with_its_bits_told():
    found = al.compare("coloring", shipped("coloring"))
    assert found.proven
    assert found.bits == "with 62 bits in place of 8"


def test_a_network_that_misorders_numbers_is_not_proven_equal(tmp_path):
    trained = shipped("minimum")
    assert al.compare("minimum", trained).proven
    perceiver = trained.network.perceiver
    assert isinstance(perceiver, Exact)
    with torch.no_grad():
        for comparison in perceiver.comparisons.values():
            comparison.change[:, -1] = 0.0  # the last place counts nothing
            assert not comparison.in_order().any()
    explain_model(trained).program.save(tmp_path / "minimum.json")
    for given in (trained, tmp_path / "minimum.json"):
        found = al.compare("minimum", given)
        assert not found.proven
        assert "as they are written they are, but with a warning" in str(found)
        assert "which the network does not always tell apart" in str(found)


def test_a_decoder_that_is_wrong_on_a_pattern_that_cannot_be_is_proven_equal_by_its_steps():
    """A visited node always has a visited neighbour, or is one itself: that it has none cannot be
    seen.
    """
    trained = shipped("bfs")
    assert al.compare("bfs", trained).proven
    decoder = trained.network.decoders["visited"]
    with torch.no_grad():
        for parameter in decoder.parameters():
            parameter.zero_()
        decoder.kept.fill_(1)
        decoder.first.weight[0, :, 0] = 1  # either concept alone makes it visited
        decoder.last.weight[0, 0] = 1
        decoder.last.bias[0] = -0.5  # type: ignore[index]
    found = al.compare("bfs", trained)
    assert found.proven
    assert found.invariant == ()
    assert "both take the same steps" in str(found)
    rules = explain_model(trained).program.rules.rules["visited"]
    assert str(rules["true"]) == "has_been_visited | has_visited_neighbours"


def test_of_a_program_found_on_samples_it_is_said_what_is_proven():
    drawn = "These rules were drawn from a network's own run on 3 graphs."
    found = al.compare(
        "bfs", msgspec.structs.replace(Program.of(algorithm("bfs")), remarks=(drawn,))
    )
    assert found.proven
    assert found.sampled
    assert "proven of the programs" in str(found)
    assert not al.compare("bfs", "bfs").sampled
