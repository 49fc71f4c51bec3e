"""What a perceiver says it reads: whatever it takes, it can run; whatever it cannot read is refused
before it is built.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Node, Values, algorithm, mask, number
from algolens.algorithms.bfs import Bfs
from algolens.arrays import zeros
from algolens.engines import Run, run_algorithm
from algolens.errors import ContractError
from algolens.evaluation import free_run
from algolens.graphs import Graph, Recipe, stream
from algolens.language.fields import Field as DeclaredField
from algolens.language.ir import FALSE, GOES_ON, At, Case, Const, Field, Get, Let, Program
from algolens.language.rules import of_elements
from algolens.models import Architecture, Network
from algolens.models.network import fits
from algolens.training import Schedule
from algolens.training.objective import Objective
from tests.effort import examples
from tests.models.networks import few, sampled

PROCESSORS = ("mpnn", "nee+pgn")
# a triangle with a tail, and two nodes: fewer edges than nodes in one, as many in the other
GRAPH = Graph.pack([4, 2], [(0, 1), (1, 2), (0, 2), (2, 3), (4, 5)]).to("cpu")

kinds = st.sampled_from(
    [
        Field("node", "mask"),
        Field("node", "category", ("0", "1", "2")),
        Field("node", "number", bits=3),
        Field("node", "pointer", to="node"),
        Field("node", "pointer", to="edge"),
    ]
)
places = st.sampled_from(["node", "edge", "link", "graph"])
fields = st.builds(replace, kinds, at=places, start_only=st.booleans())
MASK = Field("node", "mask")
AT: tuple[At, ...] = ("node", "node", "edge")  # of concepts and outputs


def declaring(program: Program, of: type[Algorithm] = Algorithm) -> Algorithm:
    """An algorithm of Python that declares so."""

    class Declaring(of, part=True):  # type: ignore[misc, valid-type, call-arg]
        name = "declaring"
        declaration = Declaration(program)

        def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
            return {
                name: _nothing(self.declaration.predicted[name], graph) for name in program.state
            }

        def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
            return {
                name: _nothing(self.declaration.predicted[name], graph)
                for name in program.perceived
            }

    return Declaring()


@dataclass(frozen=True)
class Drawn:
    """A declaration, drawn: any fields anywhere."""

    location: At
    inputs: dict[str, Field]
    hints: dict[str, Field]
    carries: tuple[str, ...]
    output: Field
    goes_on: bool

    def algorithm(self) -> Algorithm:
        """An algorithm that declares so, and in which nothing is ever true."""
        at, seen = self.location, replace(MASK, at=self.location)
        output, concepts = replace(self.output, at=at), {"seen": seen, "heard": seen}
        known = {"taken": output, **concepts, **self.hints}
        asks = Let(GOES_ON, "graph", of_elements("some", Get("seen", at), at))
        nothing = FALSE if output.kind == "mask" else Case((), Const(0))
        return declaring(
            Program(
                name="anything",
                inputs=self.inputs,
                state={name: known[name] for name in self.carries},
                start=(),
                lets=(asks,) if self.goes_on else (),
                becomes=(Let("taken", at, nothing),),
                outputs={"taken": output},
                concepts=("seen", "heard"),
                perceived={**concepts, **self.hints},
            )
        )


def longest_first(run: Run) -> tuple[Tensor, list[int]]:
    """A batch of all graphs, as lessons take it."""
    lengths, graphs = run.lengths.sort(descending=True)
    return graphs, lengths.tolist()


def _nothing(field: DeclaredField, graph: Graph) -> Tensor:
    return zeros(graph.count(field.at), field.dtype, "cpu")


@st.composite
def declarations(draw: st.DrawFn) -> Drawn:
    """Any fields at any place; mostly few of them, so that some can be read."""
    inputs = draw(st.dictionaries(st.sampled_from(["first", "second"]), fields, max_size=2))
    hints = draw(
        st.just({}) | st.dictionaries(st.just("hint"), st.builds(replace, kinds, at=places))
    )
    carries = draw(
        st.lists(st.sampled_from(["taken", "seen", *hints]), min_size=1, max_size=2, unique=True)
    )
    location = draw(st.sampled_from(AT))
    return Drawn(
        location,
        inputs,
        hints,
        tuple(carries),
        draw(st.sampled_from([MASK, replace(MASK, kind="category", labels=("0", "1", "2"))])),
        draw(st.booleans()),
    )


@examples(60)
@given(declarations(), st.sampled_from(PROCESSORS), st.booleans())
def test_what_is_taken_runs_and_each_graph_as_if_alone(drawn, processor, bottleneck):
    chosen = drawn.algorithm()
    architecture = Architecture(width=4, processor=processor, bottleneck=bottleneck)
    read = [field for field in drawn.inputs.values() if not field.start_only]
    if not fits(chosen, architecture):
        with pytest.raises(
            ContractError, match=f"the network '{processor.replace('+', '.')}' "
        ) as caught:
            Network(chosen, architecture, (0,))
        assert "\n" not in str(caught.value)
        return
    assert all(field.at == "node" and field.kind != "pointer" for field in read)
    network = Network(chosen, architecture, (0,)).eval()
    truth = run_algorithm(chosen, GRAPH, sampled(chosen, GRAPH, stream(0)))
    run = free_run(network, truth)
    taught = network.perceiver.lessons(truth, torch.device("cpu")).teach(
        network, *longest_first(truth)
    )
    if bottleneck:
        assert taught.concepts is not None
        assert taught.head is not None
        assert taught.concepts.shape == taught.head.shape[1:]
    assert set(drawn.hints) <= set(taught.hints)
    for i in range(2):
        assert free_run(network, truth.take([i])).equals(run.take([i]))


@few
@given(declarations())
def test_plain_algorithms_on_nodes_are_taken(drawn):
    """The contract refuses nothing that can be read: classes and numbers at nodes; outputs,
    concepts and hints as state.
    """
    numbers = {name: Field("node", "number", bits=3) for name in drawn.inputs}
    hints = {name: Field("node", "category", ("0", "1", "2")) for name in drawn.hints}
    plain = dataclasses.replace(drawn, location="node", inputs=numbers, hints=hints).algorithm()
    for bottleneck in (True, False):
        assert fits(plain, Architecture(bottleneck=bottleneck))


FOREST = algorithm("kruskal_union_find")
IN_MST, NEXT = Get("edge_in_mst", "edge"), Field("graph", "pointer", to="node")


FOREST_PROGRAM = FOREST.declaration.program


def numbers(at: At, *names: str) -> dict[str, Field]:
    return {name: Field(at, "number", bits=4) for name in names}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {"inputs": numbers("node", "weight", "priority")},
            "an input that is a number at edges, and none",
        ),
        (
            {"inputs": {**numbers("edge", "weight"), "priority": MASK}},
            "'priority' is a mask at nodes",
        ),
        (
            {"inputs": numbers("edge", "weight")},
            "needs an input that is a number at nodes, and none is declared",
        ),
        (
            {"inputs": {**numbers("edge", "weight"), **numbers("node", "priority", "age")}},
            (
                "needs one field as an input that is a number at nodes, and 'priority' and 'age' "
                "are declared so"
            ),
        ),
        (
            {"state": {name: FOREST_PROGRAM.state[name] for name in ("in_mst", "parent")}},
            "needs a concept that is state that is a mask at edges, and none is declared",
        ),
        (
            {"lets": (Let(GOES_ON, "graph", of_elements("some", IN_MST, "edge")),)},
            "this algorithm has a rule for going on",
        ),
        (
            {"perceived": {**FOREST_PROGRAM.perceived, "next_edge": NEXT}},
            "'next_edge' is a pointer to nodes at graphs",
        ),
    ],
)
def test_fields_of_another_kind_are_refused(changes, complaint):
    assert fits(FOREST, Architecture(processor="nee+pgn"))
    other = declaring(replace(FOREST_PROGRAM, **changes), type(FOREST))
    with pytest.raises(ContractError, match=complaint):
        Network(other, Architecture(processor="nee+pgn"), (0,))


def test_a_name_that_modules_keep_for_themselves_is_refused():
    drawn = Drawn("node", {"type": MASK}, {}, ("taken",), MASK, False)
    with pytest.raises(ContractError, match="keeps the name 'type' for itself"):
        Network(drawn.algorithm(), Architecture(), (0,))


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("type", "keeps the name 'type'"),
        ("keys", "keeps the name 'keys'"),
        ("goes_on", "calls whether to go on"),
    ],
)
def test_so_is_a_name_that_an_exact_network_keeps_for_itself(word, complaint):
    program = algorithm("bfs").declaration.program
    lets = (Let(word, "node", Get("visited", "node")), *program.lets)

    class Named(Bfs, part=True):
        declaration = Declaration(replace(program, lets=lets))

    with pytest.raises(ContractError, match=complaint):
        Network(Named(), Architecture(processor="exact"), (0,))


def test_names_do_not_matter():
    """Kruskal's algorithm with every field called otherwise is read, and taught, as it is under its
    own names.
    """
    other = {
        name: f"other_{name}"
        for name in (*FOREST.declaration.inputs, *FOREST.declaration.predicted)
    }

    text = msgspec.json.encode(FOREST_PROGRAM).decode()
    for old, new in other.items():
        text = text.replace(f'"{old}"', f'"{new}"')

    class Renamed(Algorithm, part=True):
        name = "renamed"
        recipe = FOREST.recipe
        declaration = Declaration(msgspec.json.decode(text, type=Program))

        def max_steps(self, graph: Graph) -> Tensor:
            return FOREST.max_steps(graph)

        def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
            return _renamed(FOREST.start(graph, _renamed(inputs, back)), other)

        def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
            return _renamed(
                FOREST.perceive(graph, _renamed(inputs, back), _renamed(state, back)), other
            )

    back = {new: old for old, new in other.items()}
    inputs = sampled(FOREST, GRAPH, stream(0))
    losses = []
    for chosen, given_ in ((FOREST, inputs), (Renamed(), _renamed(inputs, other))):
        truth = run_algorithm(chosen, GRAPH, given_)
        network = Network(chosen, Architecture(width=4, processor="nee+pgn"), (0,))
        taught = network.perceiver.lessons(truth, torch.device("cpu")).teach(
            network, *longest_first(truth)
        )
        losses.append(
            {
                name: each.sum().item()
                for name, each in Objective(truth, Schedule(), network.device)(
                    network, taught
                ).items()
            }
        )
    assert {other.get(name, name): loss for name, loss in losses[0].items()} == pytest.approx(
        losses[1]
    )


def _renamed(values: Values, names: Mapping[str, str]) -> dict[str, Tensor]:
    return {names[name]: value for name, value in values.items()}


def looking(**look: str) -> type[Algorithm]:
    """An algorithm on nodes that sees so; the last statement is its concept."""
    *_, last = look
    members = {
        "side": Node.input(mask),
        "age": Node.input(number(4)),
        "taken": Node.output(mask, start="False", becomes=last),
        **{name: Node.derived(text) for name, text in look.items()},
        last: Node.concept(look[last]),
    }
    return type("Looking", (Algorithm,), members)


@pytest.mark.parametrize(
    ("look", "complaint"),
    [
        ({"sees": "some other node (side)"}, "along edges, and 'sees' looks at every other node"),
        ({"sees": "at least 3 neighbours (side)"}, "'sees' counts up to 3"),
        (
            {"sees": "some neighbour (its number < my number)"},
            "not shown the numbers of nodes, which 'sees' compares",
        ),
        (
            {"hears": "some neighbour (side)", "sees": "some neighbour (hears)"},
            "once in a step, and 'sees' looks at what",
        ),
    ],
)
def test_what_one_round_of_messages_cannot_tell_is_refused_before_training(look, complaint):
    with pytest.raises(ContractError, match=complaint):
        Network(looking(**look)(), Architecture(), (0,))
    assert fits(looking(**look)(), Architecture(processor="exact"))


def test_what_it_can_tell_is_taken():
    plain = looking(
        hears="some neighbour (side & its age > my age)",
        sees="side | hears & every neighbour (taken)",
    )
    assert fits(plain(), Architecture())
    assert not fits(looking(sees="at least 3 neighbours (side)")(), Architecture())
    assert fits(looking(sees="at least 3 neighbours (side)")(), Architecture(processor="GINConv"))


def test_an_algorithm_of_directed_graphs_is_refused():
    class Directed(looking(sees="some neighbour (side)")):  # type: ignore[misc]
        name = "directed"
        recipe = Recipe(directed=True)

    with pytest.raises(ContractError, match="without directions"):
        Network(Directed(), Architecture(), (0,))


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("bipartite", "component"),
        ("bfs_tree", "parent"),
        ("dijkstra", "weight"),
        ("topological_sort", "position"),
        ("components", "component"),
    ],
)
def test_pointers_numbers_and_links_are_refused_by_name(name, field):
    with pytest.raises(ContractError, match=f"'{field}' is a "):
        Network(algorithm(name), Architecture(), (0,))
