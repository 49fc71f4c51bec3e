"""What a network without memory is taught: every pattern once, and when no node asks to go on."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.data import Setting, Situations, arbitrary
from algolens.graphs import stream
from algolens.models.memoryless.bits import harden, harden_far
from algolens.models.memoryless.lessons import FreshLessons
from algolens.models.memoryless.patterns import Patterns
from tests.models.memoryless.test_perceiver import ALL, names, perceiver, random_network
from tests.models.networks import numbers, several

CPU = torch.device("cpu")


@several
@given(names, st.lists(numbers, min_size=1, max_size=3))
def test_patterns_are_those_met_with_their_outputs_and_whether_a_graph_that_stops_held_them(name, seeds):
    chosen, patterns = ALL[name], Patterns(ALL[name].declaration)
    outputs: dict[tuple[bool, ...], list[object]] = {}
    stops: set[tuple[bool, ...]] = set()
    for seed in seeds:
        met = Situations.of(chosen, arbitrary(chosen, 5, stream(seed)))
        patterns.add(met)
        owner = met.setting.graph.node_owner.tolist()
        for node, row in enumerate(map(tuple, met.concepts.tolist())):
            outputs[row] = [value[node].item() for value in met.outputs.values()]
            if met.goes_on is not None and not met.goes_on[owner[node]]:
                stops.add(row)
    rows = [tuple(row) for row in patterns.concepts.tolist()]
    assert sorted(rows) == sorted(outputs)
    for place, row in enumerate(rows):
        assert [value[place].item() for value in patterns.outputs.values()] == outputs[row]
        assert bool(patterns.asks[place]) == (row not in stops)


@several
@given(names, numbers)
def test_without_noise_lessons_teach_what_running_shows(name, seed):
    """The head that is taught is the head that runs, but for comparisons that noise upsets."""
    network, chosen = random_network(name, (seed,)), ALL[name]
    lessons = FreshLessons(chosen, CPU, 20, 40)
    lessons.number = seed % 1000
    taught = lessons.teach(network, torch.arange(7), [1] * 7)
    again = FreshLessons(chosen, CPU, 20, 40)
    again.number = seed % 1000
    met = again._draw(7)
    assert torch.equal(taught.concepts.bool(), met.concepts)
    if not perceiver(network).comparisons:
        look = network.perceiver(network.perceiver.prepare(met.setting.graph, met.setting.inputs), met.setting.state, None)
        assert torch.equal(look.head, taught.head)
    assert len(taught.outputs[next(iter(taught.outputs))]) == len(lessons.patterns.concepts)


def test_what_a_proof_finds_wrong_comes_back_until_it_finds_other_things():
    lessons = FreshLessons(ALL["coloring"], CPU, 20, 40)
    wrong = [arbitrary(ALL["coloring"], 1, stream(seed), most_nodes=3) for seed in range(2)]
    lessons.revise(wrong)
    for number in (1, 2):
        lessons.number = number
        drawn = lessons._draw(4).setting
        last = drawn.graph.take([drawn.graph.num_graphs - 1])
        expected = wrong[number % 2]
        assert torch.equal(last.graph.edges, expected.graph.edges)
        assert torch.equal(drawn.state["color"][last.nodes], expected.state["color"])
    lessons.revise([])
    lessons.number = 1
    assert lessons._draw(4).setting.graph.num_graphs == 4


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=8))
def test_bits_are_hard_when_computed_and_soft_when_differentiated(values):
    for bit, slope in ((harden, lambda x: torch.sigmoid(x) * torch.sigmoid(-x)), (harden_far, lambda x: (1 + x.abs()) ** -2)):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        hard = bit(x)
        assert hard.tolist() == [float(value > 0) for value in values]
        hard.sum().backward()
        torch.testing.assert_close(x.grad, slope(x.detach()))


@several
@given(names, numbers)
def test_settings_of_a_run_are_its_states_before_every_step_and_after_the_last(name, seed):
    chosen = ALL[name]
    from algolens.execution import execute_trusted

    setting = arbitrary(chosen, 4, stream(seed), most_nodes=7)
    run = execute_trusted(chosen, setting.graph, setting.inputs)
    found = Setting.of_run(run)
    assert found.graph.num_graphs == int((run.lengths + 1).sum())
    first = 0
    for step in range(run.num_steps + 1):
        for graph in (run.lengths >= step).nonzero().flatten().tolist():
            part = found.graph.take([first])
            alone = run.take([graph])
            assert torch.equal(part.graph.edges, alone.graph.edges)
            for field in chosen.declaration.state:
                assert torch.equal(found.state[field][part.nodes], alone.state(field)[step])
            first += 1
