"""The tables of edges and sets against the algorithm, in any state; and what is no such algorithm."""

from __future__ import annotations

import torch
from hypothesis import given
from torch import Tensor

from algolens.algorithms import Values
from algolens.algorithms.kruskal import Kruskal
from algolens.certification.of_sets import ProofOfSets
from algolens.certification.set_tables import set_tables
from algolens.certification.table import callers, goals, kinds_among
from algolens.data import Situations
from algolens.graphs import Graph
from algolens.models import Network
from algolens.models.flat_sets.among import pairs_apart
from algolens.models.memoryless.classes import Classes
from tests.models.flat_sets.networks import KRUSKAL, SMALL, random_network, settings
from tests.models.networks import numbers, several

TABLES = set_tables(KRUSKAL)


@several
@given(numbers)
def test_every_case_that_occurs_is_in_the_tables_with_its_truth(seed):
    met = Situations.of(KRUSKAL, settings(seed, 20, 8))
    setting, graph, hints = met.setting, met.setting.graph, met.hints
    own = Classes(KRUSKAL.declaration, ("in_mst", "lighter_edges_visited")).of(setting.state)
    lighter, same, in_mst = met.concepts.unbind(1)
    among = kinds_among(own, 4, setting.inputs["weight"], pairs_apart(graph.edge_counts))
    united, no_class = hints["united"].long(), torch.zeros_like(own)
    rivals = kinds_among(united, 2, setting.inputs["priority"], pairs_apart(graph.node_counts))
    for table, which, members, truth in (
        (TABLES.edges, own, among, torch.stack([lighter, in_mst], 1)),
        (TABLES.ends, no_class, goals(setting), same[:, None]),
        (TABLES.joins, own, met.concepts, hints["joins"][:, None]),
        (TABLES.roots, torch.zeros_like(united), callers(setting, hints["joins"]), hints["united"][:, None]),
    ):
        found, known = table.look_up(which, members)
        assert known.all()
        assert torch.equal(found, truth)
    found, known = TABLES.rivals.look_up(united, rivals)
    assert known.all()
    target = setting.state["parent"] + graph.first_node[graph.node_owner]
    assert torch.equal(found[target, 0], hints["parent"] != setting.state["parent"])
    assert torch.equal(found[:, 1].nonzero().flatten(), _winners(graph, hints, setting.state["parent"]))


def _winners(graph: Graph, hints: Values, before: Tensor) -> Tensor:
    after = hints["parent"]
    return (after + graph.first_node[graph.node_owner])[after != before].unique()


def test_tables_hold_every_case_once_but_for_arrangements():
    counts = {name: len(getattr(TABLES, name).own) for name in ("edges", "ends", "joins", "roots")}
    assert counts == {"edges": 4 * 2**8, "ends": 3, "joins": 12, "roots": 4}
    for name in counts:
        table = getattr(TABLES, name)
        assert len(table.keys(table.own, table.members).unique()) == counts[name]
    rivals = TABLES.rivals
    assert len(rivals.keys(rivals.own, rivals.members).unique()) == 24  # none united: 4; one of the two: 8; beside them: 12
    assert rivals.setting.graph.num_graphs == 4**3 + 3


class ByPlace(Kruskal):
    """A union that the first of two roots wins, whatever their priorities: not what the tables go by."""

    name = "by_place"

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        return super().perceive(graph, {**inputs, "priority": graph.num_nodes - graph.node_place}, state)


def test_an_algorithm_that_goes_by_something_else_is_found_out():
    assert ProofOfSets(random_network()).tried()[-1].failures == 0
    other = Network(ByPlace(flat_sets=True, bits=5), SMALL, (0,))
    locality = ProofOfSets(other).tried()[-1]
    assert locality.name == "locality"
    assert locality.failures
    assert locality.counterexample


def test_a_case_is_told_in_words():
    place = int((TABLES.roots.members.long() @ torch.tensor([2, 1]) == 1).nonzero())
    assert TABLES.roots.described(place) == "a node, with an edge that joins, an end of which points to it"
