"""What is called proven is so: no declaration that is proven equal takes another step."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.attacked_proofs import attack, changed_declarations, takes_other_steps

import algolens as al
from algolens.algorithms import Limit, algorithm
from algolens.discovery import AlgorithmTeacher
from algolens.discovery.checks import random_runs
from algolens.discovery.proofs import prove_equal
from algolens.discovery.proofs import theory as theories
from algolens.discovery.proofs.solver import Prover
from algolens.discovery.proofs.theory import GRAPH, GraphTheory, z3
from algolens.errors import AlgoLensError
from algolens.fields import Location, Observed


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
    assert prove_equal(ours.declaration, ours).proven


def test_some_changes_are_found_by_the_runs():
    ours = algorithm("matching")
    runs = list(random_runs(AlgorithmTeacher(ours), 30, (2, 7), np.random.default_rng(1)))
    some = [takes_other_steps(made, ours, runs) for made in changed_declarations(ours.declaration)]
    assert sum(some) > len(some) / 2


def test_smaller_and_proven_by_an_invariant():
    found = al.discover("independent_set", runs=12, nodes=4)
    ours = algorithm("independent_set")
    assert len(found.declaration.look) < len(ours.declaration.look)
    proof = prove_equal(found.declaration, ours)
    assert proof.proven
    assert "node: some neighbour (status is chosen) | status is not out" in proof.invariant


@pytest.mark.parametrize(("goes_on", "is_equal"), [("~is_finished", True), ("is_left", False)])
def test_a_search_that_goes_back_leaves_nothing_under_way(goes_on, is_equal):
    """Where no node is current, every visited one is finished: a stack is empty."""
    ours = algorithm("dfs_topological_sort")
    own = {k: f for k, f in ours.declaration.hints.items() if k not in ours.declaration.look}
    other = replace(ours.declaration, continues=goes_on, hints=own)
    assert prove_equal(other, ours, 20 if is_equal else 2).proven == is_equal


def test_other_limits_are_not_proven():
    ours = algorithm("bfs")
    other = replace(ours.declaration, most_steps=Limit(2), hints={})
    assert "limits" in str(prove_equal(other, ours).unproven)


def test_what_holds_only_where_there_are_edges_is_not_proven():
    """A graph may have no edges: `some link` is not true of every graph."""
    ours = algorithm("bellman_ford")
    look = {"has_no_link": Observed(GRAPH, "no link (sender = sender)"), **ours.declaration.look}
    look["has_negative_cycle"] = Observed(GRAPH, "has_no_link | some node (is_improved)")
    own = {k: f for k, f in ours.declaration.hints.items() if k not in look}
    other = replace(ours.declaration, look=look, hints=own)
    assert not prove_equal(other, ours, 0.5).proven


@pytest.mark.parametrize("graphs", ["undirected", "directed", "any"])
def test_the_axioms_have_a_model_on_real_graphs(graphs):
    """All axioms are true of a path and of a graph without edges, as Graph numbers them."""
    theory = GraphTheory(graphs)
    assert Prover(theory.axioms(), np.inf).refutes(z3.BoolVal(True)) is None
    node, link = theory.variable(Location.NODE), theory.variable(Location.LINK)
    sender = theory.steps[Location.LINK, "sender"]
    # a node without links, and a graph with links, are possible
    alone = z3.And(theory.number[Location.NODE](node) == 3, z3.Not(theory.has_edges))
    assert Prover(theory.axioms(), np.inf).refutes(alone) is None
    joined = z3.And(theory.has_edges, theory.number[Location.NODE](sender(link)) == 1)
    assert Prover(theory.axioms(), np.inf).refutes(joined) is None


def test_without_z3_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(theories, "z3", None)
    with pytest.raises(AlgoLensError, match="needs Z3"):
        prove_equal(algorithm("bfs").declaration, algorithm("bfs"))
