"""Steps by change are the steps by tensors: for every algorithm, any program, any kernel's turn."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from algolens.algorithms import algorithm, algorithms
from algolens.errors import AlgoLensError, AlgoLensWarning, DefinitionError, GraphError
from algolens.evaluation.evaluate import rule_parts
from algolens.execution import Intervention, by_change, run_algorithm
from algolens.experiment import load_model
from algolens.graphs import Graph, Location
from algolens.logic.formula import Not, conjunction, disjunction
from algolens.looks import (
    Comparison,
    Observer,
    Order,
    Quantified,
    Quantity,
    Scope,
    Statement,
    Term,
    Test,
    Whose,
)
from algolens.looks.by_change.plan import ConceptTables, ObservationPlan
from algolens.looks.state import GraphState
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.architecture import EXACT
from tests.effort import covering
from tests.looks.drawn import Drawing, draw_graphs, draw_inputs
from tests.looks.statements import FIELDS, paths, random_values, relations
from tests.looks.test_judged import true_table

pytest.importorskip("llvmlite", reason="the kernel by change is compiled by LLVM")

from algolens.looks.by_change import entry, kernel, structures
from algolens.looks.by_change.image import NO_CHANGES, Image
from algolens.looks.by_change.places import links_by_sender

pytestmark = pytest.mark.usefixtures("compiled_kernel")

DECLARED = [name for name, cls in algorithms().items() if cls().declaration.seen is not None]


def random_graph(rng: np.random.Generator, directed: bool, most: int = 12) -> Graph:
    count = int(rng.integers(1, most))
    pairs = np.argwhere(rng.random((count, count)) < rng.random() * 3 / count)
    return Graph.pack([count], pairs, directed=directed)


def graph_for(chosen: Any, rng: np.random.Generator, most: int = 12) -> Graph:
    directed = chosen.graphs == "directed" or (chosen.graphs == "any" and rng.random() < 0.5)
    return random_graph(rng, directed, most)


def assert_equal(one: Any, other: Any) -> None:
    mine, theirs = one.tensors(), other.tensors()
    assert mine.keys() == theirs.keys()
    for name in mine:
        assert torch.equal(mine[name], theirs[name]), name


def both(chosen: Any, graph: Graph, inputs: Any, **sockets: Any) -> int:
    """Runs by both kernels, with and without a trace; gives the number of steps."""
    for trace in (True, False):
        runs = [
            run_algorithm(chosen, graph, inputs, kernel=kernel, trace=trace, **sockets)
            for kernel in by_change.KERNELS
        ]
        assert_equal(*runs)
    return runs[0].num_steps


@pytest.mark.parametrize("name", DECLARED)
def test_every_algorithm_runs_alike_by_both_kernels(name):
    rng, chosen = np.random.default_rng(7), algorithm(name)
    steps, most = 0, 8 if chosen.declaration.most_steps.squared else 12
    for _ in range(5):
        graph = graph_for(chosen, rng, most)
        steps += both(chosen, graph, chosen.sample(graph, rng))
    assert steps


@pytest.mark.parametrize("name", covering(DECLARED))
def test_kernels_take_turns_within_a_run(name, monkeypatch):
    """Indices are built at once, and left at the first step that is not the narrowest."""
    monkeypatch.setattr(by_change, "CALLS", 0)
    monkeypatch.setattr(by_change, "LINKS_PER_VALUE", 4)
    monkeypatch.setattr(by_change, "PATIENCE", 0)
    monkeypatch.setattr(by_change, "DUE", 0)
    monkeypatch.setattr(by_change, "CALM_STEPS", 1)
    rng, chosen = np.random.default_rng(8), algorithm(name)
    most = 12 if chosen.declaration.most_steps.squared else 25
    for _ in range(3):
        graph = graph_for(chosen, rng, most)
        inputs = chosen.sample(graph, rng)
        assert_equal(
            run_algorithm(chosen, graph, inputs),
            run_algorithm(chosen, graph, inputs, kernel="tensor"),
        )


@pytest.mark.parametrize("name", ["dijkstra", "kruskal", "dfs"])
def test_a_kernel_for_the_look_alone_runs_alike(name, monkeypatch):
    """As long runs go on; it is the kernel, translated with the records of the look known."""
    rng, chosen = np.random.default_rng(12), algorithm(name)
    monkeypatch.setattr(by_change, "SPECIALISING", 0.0)
    calls, real = [], Image.specialise

    def counted(image: Image) -> None:
        calls.append(image)
        real(image)

    monkeypatch.setattr(Image, "specialise", counted)
    for _ in range(4):
        graph = graph_for(chosen, rng, 20)
        both(chosen, graph, chosen.sample(graph, rng))
    assert len(calls) <= 1  # one for all graphs; none where it is kept on disk


def drawn_program(seed: int) -> tuple[Any, Graph, dict[str, torch.Tensor]] | None:
    rng = random.Random(seed)
    plain = draw_graphs(rng)[0]
    try:
        chosen = Drawing(rng).algorithm
    except DefinitionError:
        return None
    graph = Graph.pack([plain.num_nodes], list(plain.edges), directed=plain.directed)
    # the library has edges in order
    ordered = type(plain)(plain.num_nodes, [*map(tuple, graph.edges.T.tolist())], plain.directed)
    fields = chosen.declaration.inputs
    inputs = {
        name: torch.tensor(values, dtype=fields[name].kind.dtype)
        for name, values in draw_inputs(ordered, rng).items()
    }
    return chosen, graph, inputs


def outcome(run: Any) -> Any:
    """A run, or the words in which it is refused."""
    try:
        return run()
    except GraphError as refused:
        return str(refused)


def test_random_programs_run_alike_by_both_kernels():
    ran = refused = 0
    for seed in range(60):
        drawn = drawn_program(seed)
        if drawn is None:
            continue
        chosen, graph, inputs = drawn
        statements = chosen.declaration.seen.statements
        if any(ObservationPlan.declared(statement).obstacle for statement in statements):
            continue
        runs = [
            outcome(lambda kernel=kernel: run_algorithm(chosen, graph, inputs, kernel=kernel))  # noqa: B023
            for kernel in by_change.KERNELS
        ]
        if isinstance(runs[0], str):
            refused += 1
            assert runs[0] == runs[1]
        else:
            ran += 1
            assert_equal(*runs)
    assert ran > 15


def exact_network(chosen: Any, seed: int) -> Network:
    """A network of any weights whose comparisons are in order."""
    network = Network(chosen, Architecture(processor=EXACT, width=8, message_bits=2), (seed,))
    perceiver: Any = network.perceiver
    for comparator in perceiver.comparisons.values():
        comparator.change.data.fill_(0.2)
        comparator.offset.data.fill_(-8)
    return network


@pytest.mark.parametrize("name", ["bfs", "k_core", "bipartite", "prim", "boruvka", "matching"])
def test_networks_of_any_weights_run_alike_by_both_kernels(name):
    """What a stage concludes is read from its own weights, right or wrong."""
    rng, chosen, ran = np.random.default_rng(9), algorithm(name), 0
    for seed in range(4):
        parts = NetworkParts(exact_network(chosen, seed))
        plans = [*parts.perceive.plan(), parts.continues.plan()]
        if any(plan.obstacle for plan in plans):
            continue
        graph = graph_for(chosen, rng)
        both(chosen, graph, chosen.sample(graph, rng), **parts.sockets)
        ran += 1
    assert ran


@pytest.mark.parametrize("name", ["dijkstra", "kruskal", "dfs", "bellman_ford", "k_core"])
def test_right_stages_run_as_the_algorithm(name):
    rng, chosen = np.random.default_rng(10), algorithm(name)
    network = exact_network(chosen, 0)
    perceiver: Any = network.perceiver
    running = type(perceiver.running())(
        perceiver, {key: true_table(each) for key, each in perceiver.statements.items()}
    )
    perceiver.running = lambda: running
    for _ in range(3):
        graph = graph_for(chosen, rng)
        inputs = chosen.sample(graph, rng)
        sockets = {**NetworkParts(network).sockets, "decide": None}
        assert_equal(
            run_algorithm(chosen, graph, inputs, kernel="change", **sockets),
            run_algorithm(chosen, graph, inputs, kernel="tensor"),
        )


@pytest.mark.parametrize("name", ["bfs", "dijkstra", "kruskal", "dfs", "k_core"])
def test_extracted_rules_run_alike_by_both_kernels(name):
    """As `--by rules` and `--by rules-alone` run them; and rules that are wrong, as they say."""
    model = load_model(name, certified=False)
    network, chosen = model.network.only(0), model.network.algorithm
    assert model.rule_sets is not None
    (own, *_), rng = model.rule_sets, np.random.default_rng(11)
    wrong = replace(
        own,
        rules={
            output: dict(zip(classes, [*classes.values()][::-1], strict=True))
            for output, classes in own.rules.items()
        },
    )
    differs = 0
    for rules in (own, wrong):
        parts = rule_parts(network, rules)
        alone = {socket: part for socket, part in parts.items() if socket != "perceive"}
        for _ in range(3):
            graph = graph_for(chosen, rng)
            inputs = chosen.sample(graph, rng)
            both(chosen, graph, inputs, **parts)
            both(chosen, graph, inputs, **alone)
            run = run_algorithm(chosen, graph, inputs, kernel="change", **parts)
            truth = run_algorithm(chosen, graph, inputs)
            is_true = run.num_steps == truth.num_steps and all(
                run[output].equals(truth[output]) for output in own.rules
            )
            assert is_true or rules is wrong
            differs += not is_true
    assert differs


def test_a_long_run_goes_by_change_unasked(monkeypatch):
    calls = []
    real = by_change.ByChange.advance

    def counted(*given: Any) -> Any:
        calls.append(0)
        return real(*given)

    monkeypatch.setattr(by_change.ByChange, "advance", counted)
    monkeypatch.setattr(by_change, "DUE", 100_000)
    rng, chosen = np.random.default_rng(0), algorithm("dijkstra")
    graph = Graph.pack([300], rng.integers(0, 300, (1500, 2)))
    inputs = chosen.sample(graph, rng)
    run = run_algorithm(chosen, graph, inputs)
    assert calls == [0]
    assert_equal(run, run_algorithm(chosen, graph, inputs, kernel="tensor"))
    steps = run["distance"].steps
    assert run.num_steps > 250
    assert len(steps) < 10 * graph.num_nodes


def test_interventions_and_batches_go_by_tensors():
    bfs, path = algorithm("bfs"), Graph.pack([4, 4], [(0, 1), (1, 2), (2, 3), (4, 5)])
    source = {"source": torch.tensor([0, 1])}
    assert_equal(*(run_algorithm(bfs, path, source, kernel=kernel) for kernel in by_change.KERNELS))
    alone = Graph.pack([4], [(0, 1), (1, 2), (2, 3)])
    never = Intervention("has_visited_neighbours", False, elements=[2])
    runs = [
        run_algorithm(
            bfs, alone, {"source": torch.tensor([0])}, interventions=[never], kernel=kernel
        )
        for kernel in by_change.KERNELS
    ]
    assert_equal(*runs)
    assert runs[0].final("visited").tolist() == [True, True, False, False]


def test_runs_that_are_cut_short_and_numbers_that_outgrow_their_bits():
    chosen = algorithm("bellman_ford")
    cycle = Graph.pack([3], [(0, 1), (1, 2), (2, 0)], directed=True)
    inputs = {"weight": torch.tensor([-1, -1, -1]), "source": torch.tensor([0])}
    assert both(chosen, cycle, inputs) == 3
    sort = algorithm("topological_sort", bits=2)
    path = Graph.pack([9], [(node, node + 1) for node in range(8)], directed=True)
    words = [
        outcome(lambda kernel=kernel: run_algorithm(sort, path, {}, kernel=kernel))
        for kernel in by_change.KERNELS
    ]
    assert isinstance(words[0], str)
    assert words[0] == words[1]
    assert "bits hold" in words[0]


def test_what_changes_do_not_bound_is_said():
    chosen = type(
        "Dominated",
        (type(algorithm("bfs")),),
        {
            "name": "dominated",
            "declare": lambda _: _dominated(),
        },
    )()
    (statement,) = [each for each in chosen.declaration.seen.statements if each.name == "is_worse"]
    assert "two ways" in (ObservationPlan.declared(statement).obstacle or "")
    graph = Graph.pack([3], [(0, 1)])
    inputs = {"a": torch.tensor([1, 2, 3]), "b": torch.tensor([1, 2, 3])}
    run_algorithm(chosen, graph, inputs)
    with pytest.raises(AlgoLensError, match=r"does not run by change.*two ways"):
        run_algorithm(chosen, graph, inputs, kernel="change")


def _dominated() -> Any:
    from algolens.algorithms import Declaration, Limit
    from algolens.fields import Mask, Number, at_node

    return Declaration(
        location=Location.NODE,
        inputs={"a": at_node(Number(4)), "b": at_node(Number(4))},
        state=("worse",),
        start={"worse": "False"},
        look={"is_worse": at_node("some other node (its a < my a & its b < my b)")},
        concepts=("is_worse",),
        outputs={"worse": Mask()},
        rules={"worse": {"true": "is_worse", "false": "~is_worse"}},
        most_steps=Limit(3),
    )


# ---- random statements, in states that differ little


def pick(rng: np.random.Generator, choices: Any) -> Any:
    return choices[rng.integers(len(choices))]


def random_test(rng: np.random.Generator, at: Location, whose: Whose) -> Any:
    term = Term(whose, pick(rng, paths(at, "label")))
    labels = FIELDS[term.path[-1]].kind.labels
    test = Test(term, None if labels == ("false", "true") else pick(rng, labels))
    return Not(test) if rng.random() < 0.4 else test


def random_comparison(rng: np.random.Generator, own: Location, other: Location) -> Any:
    if rng.random() < 0.3:
        ends = [at.value for at in Location if paths(own, at.value) and paths(other, at.value)]
        end = pick(rng, ends)
        sides = (
            [Term(Whose.ITS, pick(rng, paths(other, end)))],
            [Term(Whose.MY, pick(rng, paths(own, end)))],
        )
        order = pick(rng, [Order.EQUAL, Order.DIFFERENT])
        return Comparison(tuple(sides[0]), order, tuple(sides[1]))
    many = 1 + int(rng.random() < 0.4)
    left = tuple(Term(Whose.ITS, pick(rng, paths(other, "number"))) for _ in range(many))
    right = tuple(Term(Whose.MY, pick(rng, paths(own, "number"))) for _ in range(many))
    if own is other and rng.random() < 0.6:
        right = tuple(Term(Whose.MY, term.path) for term in left)
    if rng.random() < 0.3:
        left, right = right, left
    return Comparison(left, pick(rng, list(Order)), right)


def random_statement(rng: np.random.Generator) -> Statement:
    own = pick(rng, list(Location))
    relation = pick(rng, relations(own))
    parts = []
    if rng.random() < 0.8:
        parts.append(random_comparison(rng, own, relation.others))
    if rng.random() < 0.8 or not parts:
        parts.append(random_test(rng, relation.others, Whose.ITS))
    if rng.random() < 0.3:
        parts.append(random_test(rng, own, Whose.MY))
    body = (conjunction if rng.random() < 0.75 else disjunction)(*parts)
    quantity = pick(rng, [Quantity.SOME, Quantity.SOME, Quantity.EVERY, Quantity.AT_LEAST])
    count = 2 if quantity is Quantity.AT_LEAST else 1
    formula: Any = Quantified(quantity, relation, body, count)
    if rng.random() < 0.5:
        formula = Not(formula)
    if rng.random() < 0.7:
        joined = conjunction if rng.random() < 0.7 else disjunction
        formula = joined(random_test(rng, own, Whose.MY), formula)
    return Statement("it_is", own, formula, Scope(FIELDS))


@pytest.mark.parametrize("seed", range(3))
def test_random_statements_follow_small_changes(seed):
    """Two kernels look at states of which each differs from the last in a few elements."""
    rng, states, kinds = np.random.default_rng(seed), 0, set()
    scope = Scope({**FIELDS, "it_is": FIELDS["awake"]})
    look: Any = SimpleNamespace(scope=scope, sums={}, totals={}, summands={}, movers=(), state={})
    while states < 300:
        statement = random_statement(rng)
        plan = ObservationPlan.declared(statement)
        if plan.obstacle is not None:
            continue
        kinds |= {part.kind for count in plan.counts for part in count.parts[0]}
        graph = random_graph(rng, bool(rng.random() < 0.5), 8)
        values = random_values(graph, rng)
        observer = Observer((statement,))

        def truth() -> np.ndarray:
            return observer.observe(statement, GraphState(graph, scope, values)).long().numpy()  # noqa: B023

        arrays = {name: value.long().numpy() for name, value in values.items()}
        deciding = ConceptTables(
            Location.NODE, (), {name: np.zeros(1, np.int64) for name in FIELDS}, {}
        )
        image = Image(look, [plan], deciding, graph, arrays | {"it_is": truth()}, ())
        assert image.num_wrong == 0, statement
        cells, memory = image.cells, image.memory
        for _ in range(6):
            change_few(rng, graph, values, cells, memory)
            cells.m[structures.PHASE] = kernel.LOOKING
            status = image.advance(cells, NO_CHANGES, 0, False)
            assert status == kernel.BY_LIMIT
            assert (image.frame_of("it_is") == truth()).all(), statement
            states += 1
    assert len(kinds) == 4


def change_few(
    rng: np.random.Generator, graph: Graph, values: Any, cells: Any, memory: Any
) -> None:
    """Sets some elements of some fields, in tensors and in the array alike."""
    others = random_values(graph, rng)
    for name in FIELDS:
        changes = memory.changed[name]
        cells.w[changes] = 0
        if rng.random() < 0.6:
            continue
        values[name] = values[name].clone()
        for element in np.flatnonzero(rng.random(len(values[name])) < 0.3):
            new = int(others[name][element])
            if new == int(values[name][element]):
                continue
            values[name][element] = others[name][element]
            place = memory.link_places[element] if memory.is_at_link(name) else element
            getattr(cells, memory.where(name))[memory.fields[name] + place] = new
            cells.w[changes] += 1
            cells.w[changes + cells.w[changes]] = place
            if name in memory.pointed:
                structures.link_into(cells.m, cells.w, cells.b, memory.pointed[name], place, new)


@pytest.mark.parametrize("directed", [False, True])
def test_links_lie_by_sender_and_then_by_receiver(directed):
    """So an order of siblings by their receivers need not be made."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        graph = random_graph(rng, directed)
        order = links_by_sender(graph)
        senders, receivers = graph.links.numpy()[:, order]
        assert sorted(order.tolist()) == list(range(graph.num_links))
        assert (np.diff(senders * graph.num_nodes + receivers) > 0).all()


def test_short_runs_together_are_worth_a_kernel(monkeypatch):
    """What narrow steps took is counted over all runs of a process."""
    begun: list[int] = []
    monkeypatch.setattr(by_change, "DUE", 1)
    monkeypatch.setattr(by_change, "COMPILING", 10.0)
    monkeypatch.setattr(by_change.ByChange, "narrow_seconds", 0.0)
    monkeypatch.setattr(by_change, "process_time", count(step=0.3).__next__)
    monkeypatch.setattr(entry, "is_compiled", lambda: False)
    monkeypatch.setattr(by_change.ByChange, "advance", lambda *_: begun.append(0))
    path = Graph.pack([60], [(node, node + 1) for node in range(59)])

    def run(times: int) -> None:
        for _ in range(times):
            run_algorithm(algorithm("bfs"), path, {"source": torch.tensor([0])}, trace=False)

    run(1)
    assert not begun
    with pytest.warns(AlgoLensWarning, match="compiled now"):
        run(3)
    assert begun
