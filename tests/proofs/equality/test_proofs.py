"""What is called proven is so: no declaration that is proven equal takes another step."""

import numpy as np
import pytest
from benchmarks.attacked_proofs import attack, changed_declarations, takes_other_steps
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import algolens as al
from algolens.algorithms import Algorithm, Edge, algorithm, category, mask, number
from algolens.discovery import AlgorithmOracle
from algolens.discovery.sampling import random_runs
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from algolens.language.ir import GOES_ON, Get, Or
from algolens.language.parse import Parser, parse
from algolens.language.rules import going_on, of_elements, with_lets
from algolens.logic import GoOn
from algolens.proofs import theory as theories
from algolens.proofs.equality.proof import prove_equal
from algolens.proofs.theory import GraphTheory, Prover, z3
from tests.strategies import batches


@pytest.mark.parametrize(
    ("name", "count"), [("bfs", 5), ("k_core", 4), ("minimum", 3), ("kruskal", 1)]
)
def test_no_changed_declaration_is_wrongly_proven(name, count):
    counts = attack(name, count, 0.3, seed=1)
    assert counts["differ"]
    assert not counts["wrong"]


@pytest.mark.parametrize("name", ["bfs", "dijkstra", "minimum", "topological_sort"])
def test_an_algorithm_is_equal_to_itself(name):
    ours = algorithm(name)
    assert prove_equal(ours.declaration.program, ours).proven


def test_some_changes_are_found_by_the_runs():
    ours = algorithm("matching")
    runs = list(random_runs(AlgorithmOracle(ours), 30, (2, 7), np.random.default_rng(1)))
    some = [takes_other_steps(made, ours, runs) for made in changed_declarations(ours.declaration)]
    assert sum(some) > len(some) / 2


def test_smaller_and_proven_by_an_invariant():
    found = al.discover("independent_set", runs=12, nodes=4)
    ours = algorithm("independent_set")
    assert len(found.declaration.statements) < len(ours.declaration.statements)
    proof = prove_equal(found.declaration.program, ours)
    assert proof.proven
    assert "node: some neighbour (status is chosen) | status is not out" in proof.invariant


@pytest.mark.parametrize(("goes_on", "is_equal"), [("~is_finished", True), ("~is_visited", False)])
def test_a_search_that_goes_back_leaves_nothing_under_way(goes_on, is_equal):
    """Where no node is current, every visited one is finished: a stack is empty."""
    ours = algorithm("dfs_topological_sort")
    program = ours.declaration.program
    other = with_lets(program, {GOES_ON: going_on(GoOn.parse(goes_on), "node")})
    assert prove_equal(other, ours, 20 if is_equal else 2).proven == is_equal


@pytest.mark.parametrize(
    ("rivals", "is_equal"), [("status is not out", True), ("status is matched", False)]
)
def test_what_is_declared_of_some_may_hold_of_others_too(rivals, is_equal):
    """An edge of a matching has no rival that is not out: its invariant is about those matched."""
    ours = algorithm("matching")

    class Other(Algorithm):
        priority = Edge.input(number(8), drawn=True)
        status = Edge.output(
            category("undecided", "matched", "out"),
            start="undecided",
            becomes={
                "undecided": "~has_matched_neighbour & has_rival",
                "matched": "~has_rival",
                "out": "True",
            },
        )
        in_matching = Edge.output(mask, becomes="~has_rival")
        has_matched_neighbour = Edge.derived("some adjacent edge (status is matched)")
        has_rival = Edge.derived(
            f"some adjacent edge ({rivals} & (its priority, its number) > (my priority, my number))"
        )
        goes_on = "some edge (status is undecided)"

    other = Other().declaration.program
    assert prove_equal(other, ours, 20 if is_equal else 2).proven == is_equal


@given(batches(max_graphs=1), st.booleans())
def test_links_into_a_node_stand_in_the_order_of_their_senders(graph, directed):
    """As proofs assume."""
    graph = Graph.pack([graph.num_nodes], graph.edges.T.tolist(), directed=directed)
    senders, receivers = graph.links
    for node in range(graph.num_nodes):
        into = senders[receivers == node].tolist()
        assert into == sorted(into)


@pytest.mark.parametrize("graphs", ["undirected", "directed", "any"])
def test_the_first_link_into_a_node_comes_from_the_lowest(graphs):
    theory = GraphTheory(graphs)
    links = [theory.variable("link") for _ in range(2)]
    senders, receivers = (
        [theory.steps["link", step](link) for link in links] for step in ("sender", "receiver")
    )
    number, places = theory.number["node"], [theory.place("link", it) for it in links]
    turned = z3.And(
        theory.has_edges, places[0] < places[1], number(senders[0]) > number(senders[1])
    )
    into_one = z3.And(turned, receivers[0] == receivers[1])
    prover = Prover(theory.axioms(), np.inf, theory.in_order())
    assert prover.refutes(into_one) is not None
    # a link back may come from a higher node, and lead to another; directed edges have none
    assert (prover.refutes(turned) is None) is (graphs != "directed")


def test_other_limits_are_not_proven():
    ours = algorithm("bfs")
    other = replace(ours.declaration.program, times=2)
    assert "limits" in str(prove_equal(other, ours).unproven)


def test_what_holds_only_where_there_are_edges_is_not_proven():
    """A graph may have no edges: `some link` is not true of every graph."""
    ours = algorithm("bellman_ford")
    said = parse(Parser.statement, "no link (sender = sender)", "graph", {})
    also = Or((said, of_elements("some", Get("is_improved", "node"), "node")))
    other = with_lets(ours.declaration.program, {"has_negative_cycle": also})
    assert not prove_equal(other, ours, 0.5).proven


@pytest.mark.parametrize("graphs", ["undirected", "directed", "any"])
def test_the_axioms_have_a_model_on_real_graphs(graphs):
    """All axioms are true of a path and of a graph without edges, as Graph numbers them."""
    theory = GraphTheory(graphs)
    assert Prover(theory.axioms(), np.inf).refutes(z3.BoolVal(True)) is None
    node, link = theory.variable("node"), theory.variable("link")
    sender = theory.steps["link", "sender"]
    # a node without links, and a graph with links, are possible
    alone = z3.And(theory.number["node"](node) == 3, z3.Not(theory.has_edges))
    assert Prover(theory.axioms(), np.inf).refutes(alone) is None
    joined = z3.And(theory.has_edges, theory.number["node"](sender(link)) == 1)
    assert Prover(theory.axioms(), np.inf).refutes(joined) is None


def test_without_z3_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(theories, "z3", None)
    with pytest.raises(AlgoLensError, match="needs Z3"):
        prove_equal(algorithm("bfs").declaration.program, algorithm("bfs"))
