"""What a proof assumes of connected parts is true of real graphs, and tells."""

import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from msgspec.structs import replace

from algolens.algorithms import algorithm
from algolens.arrays import NUMPY
from algolens.language.ir import GOES_ON, Field, Let
from algolens.language.parse import Parser, parse
from algolens.language.rules import going_on, with_lets
from algolens.logic import GoOn
from algolens.proofs.equality.ghosts import PART, Parts
from algolens.proofs.equality.proof import Proof, prove_equal, runs_of
from algolens.proofs.theory import Prover, for_all, z3
from tests.proofs.equality.test_proof_axioms import RealState
from tests.strategies import batches

NODE = "node"


@given(batches(max_graphs=4))
def test_a_part_is_the_lowest_node_that_a_node_is_connected_with(graph):
    graph = graph.to(NUMPY)
    parts = Parts(algorithm("boruvka").declaration.program.state).of(graph)[PART]
    whole = nx.Graph(graph.edges.T.tolist())
    whole.add_nodes_from(range(graph.num_nodes))
    lowest = {node: min(some) for some in nx.connected_components(whole) for node in some}
    first = graph.first_node[graph.owner(NODE)]
    assert (parts + first).tolist() == [lowest[node] for node in sorted(lowest)]


@pytest.mark.parametrize("name", ["boruvka", "components", "bfs_tree"])
def test_parts_of_real_graphs_are_possible_and_no_others(name):
    """In every state of a run, pointers that cross no edge are the same in a whole part."""
    ours, rng, refuted = algorithm(name), np.random.default_rng(8), 0
    joined = 0
    for _ in range(6):
        for run in runs_of(ours, rng).many(1, (1, 5)):
            state = RealState(ours, run, int(rng.integers(0, run.num_steps + 1)))
            nodes, proof = state.elements["node"], state.proof
            part, true = proof.now.values[PART], proof.parts.of(run.graph)[PART].tolist()
            assert not state.is_refuted(
                z3.And(*[part(node) == nodes[to] for node, to in zip(nodes, true, strict=True)])
            )
            for link in state.elements["link"]:
                sender, receiver = (
                    proof.theory.steps["link", step](link) for step in ("sender", "receiver")
                )
                refuted += state.is_refuted(part(sender) != part(receiver))
                joined += 1
    assert refuted == joined > 0


@pytest.mark.parametrize("is_assumed", [False, True])
def test_what_is_the_same_along_every_edge_is_the_same_in_a_part(is_assumed):
    ours = algorithm("boruvka")
    proof = Proof(ours.declaration.program, ours, time.process_time() + 60, lambda _: None)
    theory, root, part = proof.theory, proof.now.values["root"], proof.now.values[PART]
    node, link = theory.variable("node"), theory.variable("link")
    sender, receiver = (theory.steps["link", step](link) for step in ("sender", "receiver"))
    same = for_all([link], root(sender) == root(receiver), theory.met("link", link))
    differs = root(node) != root(part(node))
    axioms = [*proof.always([proof.now], differs), *([same] if is_assumed else [])]
    assert (Prover(axioms, proof.until).refutes(differs) is not None) is is_assumed


@pytest.mark.parametrize(
    ("joins", "is_equal"),
    [
        ("one_end's root != other_end's root", True),
        ("one_end's root = other_end's root", False),
        ("one_end's root != other_end's root & graph's is_flat", False),
    ],
)
def test_sets_are_whole_parts_where_no_edge_leaves_one(joins, is_equal):
    """Borůvka's algorithm may go on while an edge leads from one set to another."""
    ours = algorithm("boruvka")
    program = ours.declaration.program
    fields = program.inputs | program.state
    fields |= {"is_flat": Field("graph", "mask")}
    let = Let("joins_sets", "edge", parse(Parser.statement, joins, "edge", fields))
    other = with_lets(program, {GOES_ON: going_on(GoOn.parse("joins_sets"), "edge")})
    proof = prove_equal(replace(other, lets=(let, *other.lets)), ours)
    assert proof.proven is is_equal
    assert ("node: root's connected_part = connected_part" in proof.invariant) is is_equal
