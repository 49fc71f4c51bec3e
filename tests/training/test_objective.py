"""The losses against their definition, and the gradients they send back."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import torch
import torch.nn.functional as F
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.engines import Run, Timeline
from algolens.evaluation import free_run
from algolens.graphs import Graph
from algolens.models import Network
from algolens.models.packing import Packing
from algolens.models.recurrent import Samples
from algolens.training.fit import TraceTeacher
from algolens.training.objective import Objective
from algolens.training.schedule import (
    AS_NODES,
    BEYOND_NODES,
    COUNT_ON,
    MEAN,
    SHARED,
    TAKEN,
    Schedule,
)
from tests.models.networks import (
    ALGORITHMS,
    batches,
    decoder,
    gifts,
    kept,
    look,
    nameless,
    names,
    numbers,
    of_seed,
    random_network,
    recurrent,
    several,
)
from tests.models.recurrent.test_samples import (
    CPU,
    even,
    longest_first,
    own_value,
    plain,
    trace,
    with_mistakes,
)
from tests.strategies import streams

WEIGHTS = {"has_priority": 10.0, "has_been_visited": 0.5}
# graphs on which every algorithm takes several steps
LASTING = Graph.join(
    [nameless(nx.path_graph(7)), nameless(nx.star_graph(7)), nameless(nx.cycle_graph(5))]
)


def samples(run: Run, network: Network) -> Samples:
    return Samples(run, CPU, recurrent(network))


def losses(
    network: Network,
    run: Run,
    batch: tuple[Tensor, list[int]] | None = None,
    *,
    l1: float = 0.0,
    smoothing: float = 0.0,
    always: bool = False,
) -> dict[str, Tensor]:
    objective = Objective(run, Schedule(concept_weights=WEIGHTS, l1=l1, smoothing=smoothing), CPU)
    return objective(
        network, samples(run, network).teach(network, *(batch or longest_first(run)), always=always)
    )


def gradients(network: Network, total: Tensor) -> dict[str, Tensor]:
    """By parameter, after a whole backward pass; zeros where nothing came."""
    network.zero_grad(set_to_none=True)
    total.backward()
    return {
        name: torch.zeros_like(each) if each.grad is None else each.grad.clone()
        for name, each in network.named_parameters()
    }


def total(each: dict[str, Tensor]) -> Tensor:
    return torch.stack(list(each.values())).sum()


def plain_losses(network: Network, run: Run, smoothing: float) -> dict[str, Tensor]:
    """The losses of one seed, from the plain loop: every step of every graph counts alike in each
    mean.
    """
    declaration = run.algorithm.declaration
    parts = [run.take([i]) for i in range(run.graph.num_graphs)]
    steps = [plain(network, part) for part in parts]
    truth = torch.cat([part.patterns().flatten(0, 1) for part in parts]).float()
    rare = (1 - truth).sum(0) / truth.sum(0).clamp(min=1)
    told = network.architecture.given
    weight = torch.tensor(
        [0.0 if name in told else WEIGHTS.get(name, 1.0) for name in declaration.concepts]
    )

    of_output = 0.0 if network.architecture.bottleneck else smoothing  # a decoder is to be sure

    def on_logits(logits: Tensor, truth: Tensor, smoothing: float = smoothing) -> Tensor:
        target = (1 - smoothing) * truth + smoothing / 2
        return -(target * F.logsigmoid(logits) + (1 - target) * F.logsigmoid(-logits))

    found: dict[str, Tensor] = {}
    if network.architecture.bottleneck:
        heads = torch.cat([step.head for each in steps for step in each])
        found["concepts"] = (
            on_logits(heads, truth) * (rare * truth + 1 - truth) * weight
        ).sum() / len(truth)
    for name in declaration.outputs:
        scores = torch.cat([step.scores[name] for each in steps for step in each])
        values = torch.cat([part.outputs[name].dense().flatten() for part in parts])
        if values.dtype == torch.bool:
            found[name] = on_logits(scores, values.float(), of_output).mean()
        else:
            counts = torch.bincount(values, minlength=scores.shape[-1])
            of_class = len(values) / (len(counts) * counts.clamp(min=1))
            target = (1 - of_output) * F.one_hot(values, len(counts)) + of_output / len(counts)
            found[name] = -(of_class[values] * (target * F.log_softmax(scores, -1)).sum(-1)).mean()
    logits = [step.goes_on for each in steps for step in each]
    goes_on = torch.cat([part.goes_on[:, 0] for part in parts]).float()
    found["termination"] = on_logits(torch.stack(logits), goes_on).mean()
    return found


@several
@given(
    names,
    st.one_of(batches(), even),
    streams(),
    numbers,
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.3]),
    st.data(),
)
def test_losses_and_gradients_are_those_of_the_plain_loop(
    name, graph, rng, seed, bottleneck, often_right, smoothing, data
):
    told = data.draw(gifts(name)) if bottleneck else ()
    network = random_network(name, (seed,), scale=2.0, bottleneck=bottleneck, given=told)
    run = trace(name, graph, rng)
    run = with_mistakes(free_run(network, run), seed) if often_right else run
    found, expected = (
        losses(network, run, smoothing=smoothing),
        plain_losses(network, run, smoothing),
    )
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key].shape == (1,)
        assert_close(found[key][0], value, atol=1e-4, rtol=1e-4)
    right = gradients(network, total(expected))
    for key, value in gradients(network, total(found)).items():
        assert_close(value, right[key], atol=1e-4, rtol=1e-3)


@several
@given(names, st.one_of(batches(), even), streams(), numbers)
def test_seeds_do_not_touch_each_other(name, graph, rng, seed):
    run = trace(name, graph, rng)
    network = random_network(name, (seed, seed + 1, 5), scale=2.0)
    together = losses(network, run, l1=0.01)
    all_gradients = gradients(network, total(together))
    for place in range(3):
        alone = network.only(place)
        own = losses(alone, run, l1=0.01)
        for key, value in own.items():
            assert_close(value[0], together[key][place], atol=1e-4, rtol=1e-4)
        for key, value in gradients(alone, total(own)).items():
            assert_close(value[0], all_gradients[key][place], atol=1e-4, rtol=1e-3)


@several
@given(names, even, streams(), numbers)
def test_computing_everything_in_vain_or_not_changes_nothing(name, graph, rng, seed):
    run = trace(name, graph, rng)
    network = random_network(name, (seed, seed + 1), scale=2.0)
    assume(samples(run, network).nodes.absent is None)
    spare, vain = losses(network, run, l1=0.01), losses(network, run, l1=0.01, always=True)
    assert spare.keys() == vain.keys()
    for key in spare:
        assert_close(vain[key], spare[key], atol=1e-4, rtol=1e-4)
    expected = gradients(network, total(spare))
    for key, value in gradients(network, total(losses(network, run, l1=0.01, always=True))).items():
        assert_close(value, expected[key], atol=1e-4, rtol=1e-3)


@several
@given(names, batches(max_graphs=6), streams(), numbers, st.randoms(use_true_random=False))
def test_the_order_of_graphs_of_equal_length_does_not_matter(name, graph, rng, seed, random):
    run = trace(name, graph, rng)
    network = random_network(name, (seed,), scale=2.0)
    shuffled = list(range(graph.num_graphs))
    random.shuffle(shuffled)
    turned = sorted(shuffled, key=lambda i: -int(run.lengths[i]))
    expected = losses(network, run)
    for key, value in losses(
        network, run, (torch.tensor(turned), run.lengths[turned].tolist())
    ).items():
        assert_close(value, expected[key], atol=1e-4, rtol=1e-4)


@several
@given(names, numbers, streams(), st.booleans())
def test_gradients_reach_everything_that_learns(name, seed, rng, bottleneck):
    network = random_network(name, (seed, seed + 1), bottleneck=bottleneck)
    for key, value in gradients(network, total(losses(network, trace(name, LASTING, rng)))).items():
        assert value.isfinite().all(), key
        assert (value.flatten(1) != 0).any(1).all(), key  # for each seed


@several
@given(names, numbers, streams(), st.data())
def test_what_is_given_neither_errs_nor_learns(name, seed, rng, data):
    """Its loss is nothing, its logit's weights get no gradient; all others, those that read it too,
    get theirs.
    """
    concepts, run = ALGORITHMS[name].declaration.concepts, trace(name, LASTING, rng)
    told = data.draw(st.sampled_from(concepts))
    place, seeds = concepts.index(told), (seed, seed + 1)
    network, plain_network = random_network(name, seeds, given=(told,)), random_network(name, seeds)
    found = gradients(network, total(losses(network, run)))
    none, nine = (
        Objective(run, Schedule(concept_weights={told: weight}), CPU) for weight in (0.0, 9.0)
    )
    without = none(plain_network, samples(run, network).teach(plain_network, *longest_first(run)))
    with_it = nine(network, samples(run, network).teach(network, *longest_first(run)))
    assert_close(with_it["concepts"], without["concepts"])
    for key, value in found.items():
        assert value.isfinite().all(), key
        if key.startswith("perceiver.head_last"):
            assert not value[..., place].any()
            value = value[..., [i for i in range(len(concepts)) if i != place]]
        assert (value.flatten(1) != 0).any(1).all(), key  # for each seed


@several
@given(names, numbers, streams(), st.data())
def test_what_is_pruned_neither_learns_nor_speaks(name, seed, rng, data):
    network, run = random_network(name, (seed,)), trace(name, LASTING, rng)
    concepts = len(ALGORITHMS[name].declaration.concepts)
    gone = data.draw(
        st.lists(st.integers(0, concepts - 1), min_size=1, max_size=concepts - 1, unique=True)
    )
    rest = [i for i in range(concepts) if i not in gone]
    for output in network.outputs:
        each = decoder(network, output)
        with torch.no_grad():
            # all of norm 1, and some below a half
            each.first.weight.div_(each.first.weight.abs().sum(-1, keepdim=True))
            each.first.weight[:, gone] *= 0.4
        each.prune()
        assert kept(network, output) == rest
    found = losses(network, run, l1=0.01)
    with_l1 = gradients(network, total(found))
    without = gradients(network, total(losses(network, run)))
    for output in network.decoders:
        for given_back in (with_l1, without):
            weights = given_back[f"decoders.{output}.first.weight"][0]
            assert not weights[gone].any()
            assert weights[rest].any(1).all()
    values = torch.rand(1, 20, concepts, generator=torch.Generator().manual_seed(seed))
    others = values.clone()
    others[:, :, gone] = 1 - others[:, :, gone]
    for output, scores in network.decide_concepts(values).items():
        assert torch.equal(network.decide_concepts(others)[output], scores)


@given(names, streams(), numbers)
@several
def test_l1_is_the_sum_of_the_decoders_absolute_first_weights(name, rng, seed):
    network, run = random_network(name, (seed, 3)), trace(name, LASTING, rng)
    found = losses(network, run, l1=0.25)
    for place in range(2):
        w = of_seed(decoder(network, next(iter(network.outputs))), place)
        assert_close(
            found["l1"][place], 0.25 * (w["first.weight"].abs().sum() + w["first.bias"].abs().sum())
        )
    assert "l1" not in losses(network, run)


# ---- as in the authors' code


def prolonged(run: Run, steps: list[int]) -> list[Run]:
    """Each graph of a run alone, going on at rest until it has taken so many steps."""
    found = []
    for number, count in enumerate(steps):
        part = run.take([number])
        more = count - part.num_steps

        def longer(over_time: Timeline, frame: Tensor, more: int = more) -> Timeline:
            return Timeline.of_rows(torch.cat([over_time.dense(), frame.expand(more, -1)]))

        found.append(
            replace(
                part,
                concepts={
                    name: longer(each, part.resting[:, i])
                    for i, (name, each) in enumerate(part.concepts.items())
                },
                outputs={name: longer(each, each[-1]) for name, each in part.outputs.items()},
                goes_on=torch.cat([part.goes_on, torch.zeros(more, 1, dtype=torch.bool)]),
                lengths=torch.tensor([count]),
            )
        )
    return found


@several
@given(names, batches(), streams(), st.sampled_from([TAKEN, AS_NODES, BEYOND_NODES]))
def test_rare_classes_are_counted_over_the_steps_that_are_told(name, graph, rng, counted):
    run = trace(name, graph, rng)
    more = {TAKEN: None, AS_NODES: 0, BEYOND_NODES: 1}[counted]
    taken = run.lengths.tolist()
    steps = [
        length if more is None else max(length, size + more)
        for length, size in zip(taken, graph.node_counts.tolist(), strict=True)
    ]
    parts = prolonged(run, steps)
    seen = torch.cat([part.patterns().flatten(0, 1) for part in parts]).float()
    objective = Objective(run, Schedule(counted_steps=counted), CPU)
    assert_close(objective.positive, (1 - seen).sum(0) / seen.sum(0).clamp(min=1))
    for output, found in objective.classes.items():
        if found is not None:
            values = torch.cat([part.outputs[output].dense().flatten() for part in parts])
            counts = torch.bincount(values, minlength=len(found))
            assert_close(found, len(values) / (len(counts) * counts.clamp(min=1)))


@several
@given(names, even, streams(), numbers)
def test_graphs_that_have_ended_count_as_if_their_traces_went_on_at_rest(name, graph, rng, seed):
    run = trace(name, graph, rng)
    plainly = Schedule(balanced_concepts=False, balanced_outputs=False, concept_weights=WEIGHTS)
    found = {}
    for schedule in (plainly, replace(plainly, ended_graphs=COUNT_ON)):
        network = random_network(name, (seed, seed + 1), scale=2.0)
        teacher = TraceTeacher(network, run, Objective(run, schedule, CPU), schedule)
        teacher.step.begin(0.0)
        teacher.teach(longest_first(run)[0].tolist())
        found[schedule.ended_graphs] = teacher.step.losses()
    network, longest = random_network(name, (seed, seed + 1), scale=2.0), int(run.lengths.max())
    parts = prolonged(run, [longest] * graph.num_graphs)
    objective = Objective(run, plainly, CPU)
    alone = [
        objective(network, samples(part, network).teach(network, torch.tensor([0]), [longest]))
        for part in parts
    ]
    sizes = graph.node_counts.float()
    for key, values in found[COUNT_ON].items():
        weight = torch.ones_like(sizes) if key == "termination" else sizes
        each = torch.stack([losses_of_one[key] for losses_of_one in alone])
        assert_close(
            torch.tensor(values),
            (each * weight[:, None]).sum(0) / weight.sum(),
            atol=1e-4,
            rtol=1e-4,
        )
    if len(set(run.lengths.tolist())) == 1:
        assert found[COUNT_ON].keys() == found[plainly.ended_graphs].keys()
        for key, values in found[plainly.ended_graphs].items():
            assert_close(
                torch.tensor(values), torch.tensor(found[COUNT_ON][key]), atol=1e-4, rtol=1e-4
            )


@several
@given(names, numbers, streams())
def test_losses_of_an_element_are_means_where_told(name, seed, rng):
    network, run = random_network(name, (seed,), scale=2.0), trace(name, LASTING, rng)
    taught = samples(run, network).teach(network, *longest_first(run))
    usual, means = (
        Objective(run, schedule, CPU)(network, taught)
        for schedule in (Schedule(), Schedule(concept_loss=MEAN, output_loss=SHARED))
    )
    declaration = run.algorithm.declaration
    assert_close(means["concepts"], usual["concepts"] / len(declaration.concepts))
    for output, kind in declaration.outputs.items():
        assert_close(means[output], usual[output] / (len(kind.labels) if name == "coloring" else 1))


def free_plainly(
    network: Network, run: Run, most: int
) -> list[tuple[Tensor, dict[str, Tensor], Tensor]]:
    """Of one seed on one graph, step by step until it stops: concept logits, scores of outputs, and
    the logit of going on.
    """
    found, state, memory = [], dict(run.start), None
    for _ in range(most):
        _, latent, head = look(network, run.graph, run.inputs, state, memory)
        scores = network.decide(head)
        state = {name: own_value(network, name, head, scores) for name in run.start}
        _, ahead, _ = look(network, run.graph, run.inputs, state, latent)
        assert network.termination is not None
        goes_on = network.termination(ahead, Packing.of(run.graph.node_counts))[0, 0]
        found.append((head[0], {name: each[0] for name, each in scores.items()}, goes_on))
        memory = latent
        if goes_on <= 0:
            break
    return found


@several
@given(names, even, streams(), numbers)
def test_losses_in_free_running_are_those_of_a_plain_loop(name, graph, rng, seed):
    """A graph counts until the network stops it; after the algorithm's end, it is compared with the
    graph at rest.
    """
    run = trace(name, graph, rng)
    network, most = random_network(name, (seed, seed + 1), scale=3.0), int(graph.node_counts.max())
    objective = Objective(run, Schedule(balanced_concepts=False, balanced_outputs=False), CPU)
    found = objective(network, samples(run, network).run_free(network))
    for place in range(2):
        heads, scores, logits, concepts, outputs, goes_on = [], [], [], [], [], []
        (output,) = run.outputs
        for number in range(graph.num_graphs):
            steps = free_plainly(network.only(place), run.take([number]), most)
            (true,) = prolonged(run.take([number]), [max(len(steps), int(run.lengths[number]))])
            for t, (head, score, going) in enumerate(steps):
                heads.append(head)
                scores.append(score[output])
                logits.append(going)
                concepts.append(true.patterns_at(t).float())
                outputs.append(true.outputs[output][t])
                goes_on.append(true.goes_on[t, 0].float())
        on_concepts = F.binary_cross_entropy_with_logits(
            torch.cat(heads), torch.cat(concepts), reduction="none"
        ).sum(-1)
        assert_close(found["concepts"][place], on_concepts.mean(), atol=1e-4, rtol=1e-3)
        truth = torch.cat(outputs)
        loss = F.binary_cross_entropy_with_logits if truth.dtype == torch.bool else F.cross_entropy
        target = truth.float() if truth.dtype == torch.bool else truth
        assert_close(found[output][place], loss(torch.cat(scores), target), atol=1e-4, rtol=1e-3)
        expected = F.binary_cross_entropy_with_logits(torch.stack(logits), torch.stack(goes_on))
        assert_close(found["termination"][place], expected, atol=1e-4, rtol=1e-3)
