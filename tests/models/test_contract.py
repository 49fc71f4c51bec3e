"""What a perceiver says it reads: whatever it takes, it can run; whatever it cannot read is refused before it is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Values, algorithm
from algolens.errors import ContractError
from algolens.evaluation import free_run
from algolens.execution import Run, execute
from algolens.fields import Category, Field, Kind, Location, Mask, Number, Pointer, at_edge, at_graph, at_node
from algolens.graphs import Graph, stream
from algolens.models import Architecture, Network
from algolens.models.perceivers import fits
from tests.models.networks import few

PROCESSORS = ("mpnn", "nee+pgn", "memoryless", "memoryless-sets")
# a triangle with a tail, and two nodes: fewer edges than nodes in one, as many in the other
GRAPH = Graph.pack([4, 2], [(0, 1), (1, 2), (0, 2), (2, 3), (4, 5)])

kinds = st.sampled_from([Mask(), Category(3), Number(3), Pointer(Location.NODE), Pointer(Location.EDGE)])
places = st.sampled_from(list(Location))
fields = st.builds(Field, places, kinds, start_only=st.booleans())


@dataclass(frozen=True)
class Drawn:
    """A declaration, drawn: any fields anywhere."""

    location: Location
    inputs: Mapping[str, Field]
    hints: Mapping[str, Field]
    carries: tuple[str, ...]
    output: Kind
    goes_on: bool

    def algorithm(self) -> Algorithm:
        """An algorithm that declares so, and in which nothing is ever true."""
        drawn = self

        class Anything(Algorithm):
            name = "anything"
            given: ClassVar[Any] = drawn

            def declare(self) -> Declaration:
                rules = dict.fromkeys(drawn.output.labels, "False") | {drawn.output.labels[0]: "True"}
                return Declaration(
                    location=drawn.location,
                    inputs=drawn.inputs,
                    concepts=("seen", "heard"),
                    outputs={"taken": drawn.output},
                    state=drawn.carries,
                    rules={"taken": rules},
                    continues="seen" if drawn.goes_on else None,
                    hints=drawn.hints,
                )

            def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
                return {name: _nothing(self.declaration.predicted[name], graph) for name in drawn.carries}

            def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
                names = (*self.declaration.concepts, *drawn.hints)
                return {name: _nothing(self.declaration.predicted[name], graph) for name in names}

        return Anything()


def longest_first(run: Run) -> tuple[Tensor, list[int]]:
    """A batch of all graphs, as lessons take it."""
    lengths, graphs = run.lengths.sort(descending=True)
    return graphs, lengths.tolist()


def _nothing(field: Field, graph: Graph) -> Tensor:
    return torch.zeros(graph.count(field.location), dtype=field.kind.dtype)


@st.composite
def declarations(draw: st.DrawFn) -> Drawn:
    """Any fields at any place; mostly few of them, so that some can be read."""
    inputs = draw(st.dictionaries(st.sampled_from(["first", "second"]), fields, max_size=2))
    hints = draw(st.just({}) | st.dictionaries(st.just("hint"), st.builds(Field, places, kinds)))
    carries = draw(st.lists(st.sampled_from(["taken", "seen", *hints]), min_size=1, max_size=2, unique=True))
    location = draw(st.sampled_from([Location.NODE, Location.NODE, Location.EDGE]))
    return Drawn(location, inputs, hints, tuple(carries), draw(st.sampled_from([Mask(), Category(3)])), draw(st.booleans()))


@settings(max_examples=150, deadline=None)
@given(declarations(), st.sampled_from(PROCESSORS), st.booleans())
def test_what_is_taken_runs_and_each_graph_as_if_alone(drawn, processor, bottleneck):
    chosen = drawn.algorithm()
    architecture = Architecture(width=4, processor=processor, bottleneck=bottleneck)
    read = [field for field in drawn.inputs.values() if not field.start_only]
    if not fits(chosen.declaration, architecture):
        with pytest.raises(ContractError, match=f"the network '{processor.replace('+', '.')}' ") as caught:
            Network(chosen, architecture, (0,))
        assert "\n" not in str(caught.value)
        return
    assert all(field.location is Location.NODE and not isinstance(field.kind, Pointer) for field in read)
    network = Network(chosen, architecture, (0,)).eval()
    truth = execute(chosen, GRAPH, chosen.sample(GRAPH, stream(0)))
    run = free_run(network, truth)
    taught = network.perceiver.lessons(truth, torch.device("cpu")).teach(network, *longest_first(truth))
    assert taught.concepts.shape == taught.head.shape[1:] or not bottleneck
    for i in range(2):
        assert free_run(network, truth.take([i])).equals(run.take([i]))


@few
@given(declarations())
def test_plain_algorithms_on_nodes_are_taken(drawn):
    """The contract refuses nothing that can be read: classes and numbers at nodes, outputs as state."""
    numbers = {name: at_node(Number(3)) for name in drawn.inputs}
    plain = replace(drawn, location=Location.NODE, inputs=numbers, hints={}, carries=("taken",)).algorithm()
    for processor in ("mpnn", "memoryless"):
        assert fits(plain.declaration, Architecture(processor=processor))


def declared(**changes: Any) -> Declaration:
    return replace(algorithm("kruskal").declaration, **changes)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"inputs": {"weight": at_node(Number(4)), "priority": at_node(Number(4))}}, "'weight' is a Number at nodes"),
        ({"inputs": {"weight": at_edge(Number(4)), "priority": at_node(Mask())}}, "'priority' is a Mask at nodes"),
        ({"inputs": {"weight": at_edge(Number(4))}}, "needs the input 'priority', which is not declared as one"),
        ({"continues": "~edge_in_mst"}, "this algorithm has a rule for going on"),
        (
            {"hints": {**algorithm("kruskal").declaration.hints, "next_edge": at_graph(Pointer(Location.NODE))}},
            "'next_edge' is a Pointer to nodes at graphs",
        ),
    ],
)
def test_fields_of_the_right_name_and_another_kind_are_refused(changes, complaint):
    """By name alone, weights at nodes were once read as if at edges."""
    assert fits(declared(), Architecture(processor="nee+pgn"))

    class Other(type(algorithm("kruskal"))):  # type: ignore[misc]
        name = "other"

        def declare(self) -> Declaration:
            return declared(**changes)

    with pytest.raises(ContractError, match=complaint):
        Network(Other(), Architecture(processor="nee+pgn"), (0,))


def test_a_name_that_modules_keep_for_themselves_is_refused():
    drawn = Drawn(Location.NODE, {"type": at_node(Mask())}, {}, ("taken",), Mask(), False)
    for processor in ("mpnn", "memoryless"):
        with pytest.raises(ContractError, match="keeps the name 'type' for itself"):
            Network(drawn.algorithm(), Architecture(processor=processor), (0,))
