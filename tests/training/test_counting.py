"""Stages that count: messages that suffice, few bits that are not silent, and proofs."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
import torch

from algolens.algorithms import Algorithm, Node, Option, algorithm, mask
from algolens.data import fixed
from algolens.errors import ContractError
from algolens.experiment.config import preset
from algolens.language.finite import Statement
from algolens.language.ir import Field, Let
from algolens.language.parse import Parser, parse
from algolens.models import Architecture
from algolens.models.exact import SILENCE, Stage
from algolens.proofs.network import check_proof, prove
from algolens.training import Fit
from algolens.training.stars import draw_counts, teach_messages, true_of


def stated(text: str) -> Statement:
    fields = {"hue": Field("node", "category", ("0", "1", "2")), "lit": Field("node", "mask")}
    said = parse(Parser.statement, text, "node", fields)
    return Statement(
        Let("counted", "node", said), {("node", name): fields[name] for name in fields}
    )


STATEMENTS = [
    "at least 5 neighbours (hue is 1)",
    "lit & at least 4 neighbours (lit & hue is 0)",
    "at least 3 neighbours (hue is 0) | at least 3 neighbours (hue is 1)",
    "at least 6 neighbours (hue is 2) & ~at least 7 neighbours (hue is 2)",
    "at least 4 neighbours (lit) & at least 2 neighbours (hue is 0)",
    "at least 3 neighbours (hue is 2) | no neighbour (lit)",
    "at least 3 neighbours (lit | ~lit)",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_the_truth_follows_from_how_many_send_each_bit(text: str) -> None:
    """By every star of few of each kind: those that receive the same agree."""
    statement = stated(text)
    stage = Stage(1, statement, width=16, bits=8)
    teach_messages(stage, statement, 0, torch.Generator().manual_seed(2))
    sent = stage.sent()[0].detach() > 0
    kinds, most = statement.num_neighbours, statement.most
    levels = range(most + 1) if (most + 1) ** kinds <= 20_000 else (0, 1, most // 2, most)
    counts = torch.tensor(list(itertools.product(levels, repeat=kinds)))
    for own in range(statement.num_own):
        truth = true_of(statement, torch.full((len(counts),), own), counts)
        received = (counts @ sent[own].long()).clamp(max=most)
        _, group = received.unique(dim=0, return_inverse=True)
        shares = group.bincount(truth.double()) / group.bincount()
        assert set(shares.tolist()) <= {0.0, 1.0}
    is_silent = ~sent.any(0).any(0)
    assert int(is_silent.sum()) >= stage.bits // 2
    bias = stage.message_last.bias
    assert bias is not None
    by_weights = (stage.message_last.weight[0] == 0).all(0) & (bias[0, 0] == SILENCE)
    assert torch.equal(by_weights, is_silent)


def test_stars_are_near_to_what_is_asked_for() -> None:
    """Of all own classes, true ones as false ones, and never fewer than nobody."""
    statement = stated("at least 15 neighbours (hue is 1)")
    own, counts = draw_counts(statement, 2_000, torch.Generator().manual_seed(0))
    assert own.unique().tolist() == list(range(statement.num_own))
    assert int(counts.min()) == 0
    assert 0.1 < true_of(statement, own, counts).float().mean() < 0.9
    asked = counts[:, 1].clamp(max=16).bincount(minlength=17)
    assert bool((asked > 0).all())


@pytest.mark.parametrize("k", [8, 15])
def test_how_many_there_are_is_learnt_and_proven(k: int) -> None:
    chosen = algorithm("k_core", k=k)
    made = preset("exact", chosen)
    recipe = replace(chosen.recipe, size=8, train=1, held_out=1, test_sizes=())
    schedule = replace(made.schedule, epochs=40)
    cpu = torch.device("cpu")
    fit = Fit(fixed(chosen, 0, recipe), made.architecture, schedule, (0, 1), cpu)
    list(fit)
    for seed in (0, 1):
        network = fit.result().only(seed)
        assert not any(finding.check.failures for finding in prove(network))


class Crowd(Algorithm):
    """A node that has many lit and many unlit neighbours."""

    least = Option(3, 1, 1_000)

    lit = Node.output(mask, start="True", becomes="many")
    many = Node.concept("at least least neighbours (lit) & at least least neighbours (~lit)")

    goes_on = "some node (many)"


@pytest.mark.parametrize(("count", "is_refused"), [(546, False), (547, True)])
def test_a_count_that_no_proof_can_go_through_is_refused_before_training(
    count: int, is_refused: bool
) -> None:
    """547**2 cases are fewer than 300,000, and 548**2 are more."""
    architecture = Architecture(processor="exact")
    if is_refused:
        with pytest.raises(ContractError, match=r"'many' of crowd would have more than 300,000"):
            check_proof(Crowd(least=count), architecture)
    else:
        check_proof(Crowd(least=count), architecture)
