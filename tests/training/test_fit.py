"""Training: repeatable, from the same weights and batches in any company, and selected on
validation.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from torch import Tensor
from torch.testing import assert_close

from algolens.algorithms import algorithm
from algolens.data import DataSets, fixed
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.evaluation import METRICS, Scores, free_run, score
from algolens.experiment.config import preset
from algolens.graphs import Graph, Recipe
from algolens.models import Architecture, Network
from algolens.models.weights import place_of
from algolens.training import Epoch, Fit, Schedule
from algolens.training import fit as module
from algolens.training.fit import TraceTeacher
from algolens.training.objective import Objective
from algolens.training.schedule import BY_LAST_STEP, BY_LOSSES, IN_ORDER, STEADY
from tests.models.networks import decoder, kept, nameless, sampled

CPU = torch.device("cpu")
SMALL = Recipe(families=("ladder", "tree"), size=6, train=16, held_out=4, test_sizes=(6,))
NARROW = Architecture(width=6)
SHORT = Schedule(epochs=3, batch_size=8, learning_rate=1e-2)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def sets() -> DataSets:
    return fixed(algorithm("bfs"), 0, SMALL)


def fitted(
    sets: DataSets,
    seeds: tuple[int, ...] = (0,),
    schedule: Schedule = SHORT,
    architecture: Architecture = NARROW,
) -> tuple[Fit, list[Epoch]]:
    fit = Fit(sets, architecture, schedule, seeds, CPU)
    return fit, list(fit)


def weights(network: Network) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in network.state_dict().items()}


def mixed_sizes() -> DataSets:
    """Sets whose graphs differ in size and in their largest neighbourhood."""
    bfs, rng = algorithm("bfs"), np.random.default_rng(0)
    shapes = [
        nx.path_graph(5),
        nx.star_graph(8),
        nx.empty_graph(1),
        nx.cycle_graph(4),
        nx.complete_graph(9),
        nx.empty_graph(3),
    ]
    graph = Graph.join([nameless(each) for each in shapes])
    runs = [run_algorithm(bfs, graph, sampled(bfs, graph, rng)) for _ in range(2)]
    return DataSets(train=runs[0], validation=runs[1], tests={})


def test_the_same_seed_gives_the_same_weights_twice(sets):
    one, two = fitted(sets, (3,)), fitted(sets, (3,))
    for first, second in [(one[0].network, two[0].network), (one[0].result(), two[0].result())]:
        a, b = weights(first), weights(second)
        assert all(torch.equal(a[name], b[name]) for name in a)
    for before, after in zip(one[1], two[1], strict=True):
        assert before.losses == after.losses
        assert before.validation == after.validation


def test_weight_decay_takes_its_share_of_every_weight(sets):
    """Beside the step, not through the gradient: after one step the weights differ by that share
    alone.
    """
    once = replace(SHORT, epochs=1, batch_size=len(sets.train.lengths))
    plain, decayed = (
        fitted(sets, (0, 1), replace(once, weight_decay=share))[0].network for share in (0.0, 0.5)
    )
    first = Network(sets.train.algorithm, NARROW, (0, 1))
    after = dict(plain.named_parameters())
    for name, value in decayed.named_parameters():
        assert_close(
            value, after[name] - once.learning_rate * 0.5 * dict(first.named_parameters())[name]
        )


@pytest.mark.parametrize("processor", ["mpnn", "GATv2Conv"])
def test_each_seeds_own_gradient_is_shortened(sets, processor):
    """Against PyTorch's clipping of each seed alone; the limit lies between two seeds' norms, so
    that one keeps its own.
    """
    architecture, seeds = replace(NARROW, processor=processor), (5, 3, 8)

    def gradients(seeds: tuple[int, ...], clip: float) -> Fit:
        fit = Fit(sets, architecture, replace(SHORT, clip=clip), seeds, CPU)
        assert isinstance(fit.teacher, TraceTeacher)
        fit.teacher.teach(list(range(len(sets.train.lengths))))
        return fit

    free = [gradients((seed,), 0.0).network for seed in seeds]
    norms = [
        float(
            torch.nn.utils.get_total_norm(
                [each.grad for each in one.parameters() if each.grad is not None]
            )
        )
        for one in free
    ]
    clip = (sorted(norms)[0] + sorted(norms)[1]) / 2
    clipped = gradients(seeds, clip).network
    for place, alone in enumerate(free):
        torch.nn.utils.clip_grad_norm_(alone.parameters(), clip)
        for (name, ours), (_, expected) in zip(_own(clipped, place), _own(alone, 0), strict=True):
            assert_close(ours, expected, atol=1e-6, rtol=1e-4, msg=name)


def _own(network: Network, place: int) -> list[tuple[str, Tensor]]:
    """A seed's gradients, by name."""
    found = []
    for name, each in network.named_parameters():
        at = place_of(name)
        if each.grad is not None and at in (None, place):
            found.append((name, each.grad[place] if at is None else each.grad))
    return found


def test_a_gradient_that_is_short_enough_is_left_alone(sets):
    free, clipped = (
        fitted(sets, (0, 1), replace(SHORT, clip=clip))[0].network for clip in (0.0, 1e6)
    )
    expected = weights(clipped)
    assert all(torch.equal(value, expected[name]) for name, value in weights(free).items())


@pytest.mark.parametrize("processor", ["mpnn", "GATv2Conv"])
@pytest.mark.parametrize(
    "make", [lambda: fixed(algorithm("bfs"), 0, SMALL), mixed_sizes], ids=["even", "mixed"]
)
def test_a_seed_trains_alike_but_for_rounding_alone_and_among_others(make, processor):
    """Its first weights and its batches are the same; products for several seeds at once may add in
    another order.
    """
    sets, architecture = make(), replace(NARROW, processor=processor)
    together, history = fitted(sets, (5, 3, 8), architecture=architecture)
    alone, own_history = fitted(sets, (3,), architecture=architecture)
    first = [Network(sets.train.algorithm, architecture, seeds) for seeds in ((5, 3, 8), (3,))]
    expected = weights(first[0].only(1))
    assert all(torch.equal(value, expected[name]) for name, value in weights(first[1]).items())
    expected = weights(together.network.only(1))
    for name, value in weights(alone.network).items():
        assert_close(value, expected[name], atol=1e-3, rtol=1e-2)
    for many, one in zip(history, own_history, strict=True):
        for name, values in one.losses.items():
            assert values[0] == pytest.approx(many.losses[name][1], rel=1e-3, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "processor", "bottleneck"),
    [("bfs", "mpnn", False), ("coloring", "mpnn", True), ("kruskal", "nee+pgn", True)],
)
def test_losses_fall(name, processor, bottleneck):
    sets = fixed(preset("paper", algorithm(name)).find_algorithm(), 0, SMALL)
    architecture = Architecture(width=8, processor=processor, bottleneck=bottleneck)
    _, history = fitted(sets, (0, 1), replace(SHORT, epochs=12), architecture)
    assert ("concepts" in history[0].losses) == bottleneck
    # which the look-ahead's own mistakes can raise at first
    for key in history[0].losses.keys() - {"termination"}:
        for before, after in zip(history[0].losses[key], history[-1].losses[key], strict=True):
            assert after < before


def test_the_latest_of_the_best_stretches_on_validation_is_selected(sets):
    fit, history = fitted(sets, (0, 1, 2), replace(SHORT, epochs=9))
    chosen = fit.result()
    for place in range(3):
        found = [each.validation[place].selection() for each in history if each.validation]
        steady = [fmean(found[max(0, end - STEADY) : end]) for end in range(1, len(found) + 1)]
        full = {end: value for end, value in enumerate(steady, 1) if end >= STEADY}
        assert fit.selection.epochs[place] == max(
            end for end, value in full.items() if value == max(full.values())
        )
        run = free_run(chosen.only(place), sets.validation)
        assert score(run, sets.validation).selection() == found[fit.selection.epochs[place] - 1]


def _alike(accuracy: float) -> Scores:
    names = [metric.name for metric in METRICS if metric.selects]
    return Scores(graphs=1, **dict.fromkeys(names, accuracy))


def test_by_losses_the_first_of_the_lowest_is_selected(sets):
    fit = Fit(
        sets,
        NARROW,
        replace(SHORT, epochs=7, learning_rate=5e-2, selection=BY_LOSSES, l1=0.01),
        (0, 1, 2),
        CPU,
    )
    sums, after, history = [], [], []
    objective, examples = (
        Objective(sets.validation, fit.schedule, CPU),
        fit.network.perceiver.lessons(sets.validation, CPU),
    )
    for epoch in fit:
        history.append(epoch)
        after.append(weights(fit.network))
        losses = objective(fit.network, examples.run_free(fit.network))
        sums.append(torch.stack(list(losses.values())).sum(0))
    lowest = torch.stack(sums).argmin(0) + 1
    assert fit.selection.epochs == lowest.tolist()
    for place, epoch in enumerate(lowest.tolist()):
        chosen = weights(fit.result().only(place))
        assert all(
            torch.equal(value[place : place + 1], chosen[name])
            for name, value in after[epoch - 1].items()
        )
    # accuracies are only shown
    assert [each.validation is not None for each in history] == [False] * 6 + [True]


def test_by_the_last_step_the_first_of_the_highest_is_selected(sets, monkeypatch):
    told = iter([0.5, 0.9, 0.7, 0.9])
    monkeypatch.setattr(
        module,
        "run_and_score",
        lambda *_: [structs.replace(_alike(0.1), last_step=next(told))],
    )
    fit, _ = fitted(sets, schedule=replace(SHORT, epochs=4, selection=BY_LAST_STEP))
    assert fit.selection.epochs == [2]


def test_a_network_without_losses_in_free_running_says_so():
    sets = fixed(preset("paper", algorithm("kruskal")).find_algorithm(), 0, SMALL)
    with pytest.raises(AlgoLensError, match="'nee\\+pgn' gives no losses in free running"):
        fitted(
            sets,
            schedule=replace(SHORT, selection=BY_LOSSES),
            architecture=replace(NARROW, processor="nee+pgn"),
        )


@pytest.mark.parametrize("epoch", [1, 2])
def test_batches_come_in_the_order_of_the_data_set_where_told(sets, epoch):
    schedules = SHORT, replace(SHORT, batches=IN_ORDER)
    teachers = [Fit(sets, NARROW, schedule, (0,), CPU).teacher for schedule in schedules]
    shuffled, in_order = (
        teacher.batches(epoch) for teacher in teachers if isinstance(teacher, TraceTeacher)
    )
    assert [sorted(batch) for batch in in_order] == [list(range(i, i + 8)) for i in range(0, 32, 8)]
    assert sorted(graph for batch in shuffled for graph in batch) == list(range(32))
    assert [set(batch) for batch in shuffled] != [set(batch) for batch in in_order]


@pytest.mark.parametrize("lucky", [0, 1])
def test_one_lucky_validation_does_not_decide(sets, monkeypatch, lucky):
    told = iter([*[0.5] * lucky, 1.0, *[0.5] * (5 - lucky), *[0.8] * 5])
    monkeypatch.setattr(module, "run_and_score", lambda *_: [_alike(next(told))])
    fit, _ = fitted(sets, schedule=replace(SHORT, epochs=11))
    assert fit.selection.epochs == [11]


def test_epochs_are_validated_as_often_as_asked_and_the_last_always(sets):
    _, history = fitted(sets, schedule=replace(SHORT, epochs=5, validate_every=2))
    assert [each.epoch for each in history] == [1, 2, 3, 4, 5]
    assert [each.validation is not None for each in history] == [False, True, False, True, True]


@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_what_was_pruned_stays_away(l1):
    """Adam still moves by its memory of old gradients: the weights of a pruned concept must stay
    zero all the same.
    """
    sets = fixed(algorithm("coloring"), 0, SMALL)
    fit = Fit(sets, NARROW, replace(SHORT, epochs=4, prune_epoch=2, l1=l1), (0,), CPU)
    weight = decoder(fit.network, "color").first.weight
    with torch.no_grad():
        weight[:, 2:4] *= 0.01  # too small to grow to half of the largest in two epochs
    for epoch in fit:
        if epoch.epoch >= 2:
            assert not {2, 3} & set(kept(fit.network, "color"))
            assert not weight[0, 2:4].any(), f"epoch {epoch.epoch}"
    assert fit.selection.epochs[0] >= 2
    assert kept(fit.result(), "color") == kept(fit.network, "color")
    assert not decoder(fit.result(), "color").first.weight[0, 2:4].any()


@given(st.integers(1, 300), st.floats(0, 1), st.floats(1e-5, 1))
def test_the_learning_rate_falls_at_the_end_only(epochs, decay, rate):
    schedule = Schedule(epochs=epochs, learning_rate=rate, decay=decay)
    rates = [schedule.rate(epoch) for epoch in range(1, epochs + 1)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] > 0
    assert all(rates[i] == rate for i in range(epochs) if i <= (1 - decay) * epochs)


@pytest.mark.parametrize("convolution", ["GATv2Conv", "GINConv", "PNAConv", "SAGEConv", "GCNConv"])
def test_a_step_moves_every_convolution(sets, convolution):
    architecture = replace(NARROW, processor=convolution)
    before = Network(sets.train.algorithm, architecture, (0, 1)).state_dict()
    fit, history = fitted(sets, (0, 1), Schedule(epochs=1, batch_size=32), architecture)
    assert all(np.isfinite(value) for values in history[0].losses.values() for value in values)
    for place in range(2):
        ours = [
            name for name, _ in fit.network.named_parameters() if f"convolutions.{place}." in name
        ]
        assert ours
        for name in ours:
            assert not torch.equal(fit.network.state_dict()[name], before[name]), name


def test_training_begins_where_the_seeds_alone_say(sets):
    fit = Fit(sets, NARROW, SHORT, (4, 5), CPU)
    expected = weights(Network(sets.train.algorithm, NARROW, (4, 5)))
    assert all(torch.equal(value, expected[name]) for name, value in weights(fit.result()).items())


def test_enough_right_validations_in_a_row_end_the_training(sets, monkeypatch):
    """Right, wrong, right, right: it ends after the second in a row, and not for the two apart."""
    truth = score(sets.validation, sets.validation)
    verdicts = iter([truth, structs.replace(truth, graphs_right=0.5), truth, truth, truth])
    fit = Fit(sets, NARROW, replace(SHORT, epochs=50, enough=2), (0,), CPU)
    monkeypatch.setattr(fit, "_validate", lambda _: [next(verdicts)])
    assert [epoch.epoch for epoch in fit] == [1, 2, 3, 4]


def test_without_it_all_epochs_are_trained(sets, monkeypatch):
    truth = score(sets.validation, sets.validation)
    fit = Fit(sets, NARROW, SHORT, (0,), CPU)
    monkeypatch.setattr(fit, "_validate", lambda _: [truth])
    assert len(list(fit)) == SHORT.epochs
