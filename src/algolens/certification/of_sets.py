"""The proof for edges taken by weight and flat sets of nodes: a table for each part of a look, given the truth before it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.certification.certificate import Basis, Check, Finding
from algolens.certification.heard import Heard, sure_messages
from algolens.certification.numbers import every_pair, order_of_numbers
from algolens.certification.proof import MOST_WRONG, ROUNDING, Proof, verdict
from algolens.certification.set_tables import set_tables
from algolens.certification.table import Table, callers, goals, kinds_among
from algolens.data import Setting, Situations, arbitrary
from algolens.errors import ContractError
from algolens.fields import Number
from algolens.graphs import Graph, Location, stream
from algolens.models import Network
from algolens.models.flat_sets import FlatSets
from algolens.models.flat_sets.among import pairs_apart
from algolens.models.flat_sets.names import JOINS, LEAVES, PARENT, PRIORITY, SAME_SET, TAKES, UNITED, WEIGHT

LOCAL_GRAPHS = 2_000
SAYS = {
    "edges among edges": "For an edge of every class, and every set of kinds of other edges in its graph (their class, and a "
    "lower or higher weight), the concepts that edges tell one another are the true ones.",
    "sets of both ends": "Wherever the pointers of an edge's ends lead, in a graph of any size, nodes_in_same_set is true.",
    "edges that join": "For an edge of every class, on every pattern of concepts that it can have, it knows whether it is the "
    "next one and joins two sets.",
    "roots to unite": "For every set of kinds of edges whose ends point to a node, the node knows whether its set is united.",
    "new pointers": "In every arrangement by priority of two united roots and other nodes (up to three below, between and "
    "above them: more make no other case), a node knows whether those that point to it go elsewhere, and the root with the "
    "higher priority scores highest, so that they go there; where none is united, none goes.",
}


class ProofOfSets(Proof):
    """Numbers, messages, a table for each part, and outputs. By induction over steps, the run is the algorithm's."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.perceiver, self.positive = _flat_sets(network), _flat_sets(self.rounding.positive)
        self.tables = set_tables(self.algorithm)

    @classmethod
    def check(cls, algorithm: Algorithm) -> None:
        for name in (WEIGHT, PRIORITY):
            kind = algorithm.declaration.inputs[name].kind
            if not isinstance(kind, Number) or kind.distinct != "graph" or kind.bits < 2:
                raise ContractError(
                    f"{algorithm.name} cannot be certified: {name} needs two bits or more, and no two values of a graph may be "
                    "equal. Declare it so."
                )
        set_tables(algorithm)

    def findings(self) -> list[Finding]:
        tables, perceiver = self.tables, self.perceiver
        numbers = [
            order_of_numbers(perceiver.comparison, self._number(name), name, partial(self._pair, name))
            for name in (WEIGHT, PRIORITY)
        ]
        compared = self._compared()
        edges = self._heard("edges", compared)
        ends, roots, rivals = self._heard("ends"), self._heard("roots"), self._heard("rivals", compared)
        says = "Each bit of a message depends on the two classes, and how the two numbers compare, and is sure."
        joins = (each.joins(tables.joins.own, tables.joins.members[None].float())[0] for each in (perceiver, self.positive))
        once = _once(tables.joins.members)
        return [
            *numbers,
            sure_messages([edges, ends, roots, rivals], says),
            self._settled("edges among edges", tables.edges, *edges.conclude(tables.edges.own, tables.edges.members)),
            self._settled("sets of both ends", tables.ends, *ends.conclude(tables.ends.own, tables.ends.members)),
            self._settled("edges that join", tables.joins, *joins),
            self._settled("roots to unite", tables.roots, *roots.conclude(tables.roots.own, tables.roots.members)),
            self._pointers(*rivals.conclude(tables.rivals.own, tables.rivals.members)),
            *self.after_concepts(tables.joins.members[once], lambda cases: self._shown(tables.joins, once[cases])),
        ]

    def assumptions(self) -> tuple[str, ...]:
        bits = self.perceiver.number.bits
        return (
            *(f"{name}: whole numbers of {bits} bits" for name in (WEIGHT, PRIORITY)),
            *(f"no two values of {name} in a graph are equal" for name in (WEIGHT, PRIORITY)),
            ROUNDING,
        )

    def premises(self) -> tuple[str, ...]:
        return (
            "the algorithm's own concepts and hints depend on nothing but what the tables go by (an edge's class, others' "
            "classes and how weights compare; where pointers lead; which nodes are united and how priorities compare)",
        )

    def tried(self) -> list[Check]:
        pairs = [every_pair(self.perceiver.comparison, self._number(name), name) for name in (WEIGHT, PRIORITY)]
        return [*(check for check in pairs if check is not None), self._locality()]

    def _number(self, name: str) -> Number:
        """A declared number, with as many bits as are compared."""
        kind = self.algorithm.declaration.inputs[name].kind
        assert isinstance(kind, Number)
        return replace(kind, bits=self.perceiver.number.bits)

    def _compared(self) -> Tensor:
        """[2, channels] the bits of the comparison with a lower and with a higher number."""
        comparison, number = self.perceiver.comparison, self.perceiver.number
        own = 2 ** (number.bits - 1)
        scores = comparison.scores(number.encode(torch.tensor([own, own - 1, own + 1])))
        return comparison(scores[:, :1] - scores[:, 1:])[0]

    def _heard(self, name: str, compared: Tensor | None = None) -> Heard:
        """A kind is a class, or a class and then lower or higher."""
        exchange, positive = self.perceiver.exchanges[name], self.positive.exchanges[name]
        senders = torch.arange(exchange.num_others)
        if compared is None:
            return Heard(exchange, positive, self.rounding, senders)
        return Heard(exchange, positive, self.rounding, senders.repeat_interleave(2), compared.repeat(len(senders), 1))

    def _settled(self, name: str, table: Table, logits: Tensor, sizes: Tensor) -> Finding:
        """Whether logits [M, outputs] are true in every case of a table, and surely so."""
        right = ((logits > 0) == table.truth) & self.rounding.sure(logits, sizes)
        return self._finding(name, table, right, logits)

    def _pointers(self, logits: Tensor, sizes: Tensor) -> Finding:
        """Whose set leaves it; and that in every arrangement, the node to go to surely scores highest."""
        table = self.tables.rivals
        right = ((logits > 0) == table.truth) & self.rounding.sure(logits, sizes)
        score, reach = logits[:, TAKES], self.rounding.unit * sizes[:, TAKES]
        is_goal, graph = table.truth[:, TAKES], table.setting.graph
        most = torch.full((graph.num_graphs,), -torch.inf)
        most.scatter_reduce_(0, graph.node_owner[~is_goal], (score + reach)[~is_goal], "amax")
        right[:, TAKES] = ~is_goal | (score - reach > most[graph.node_owner])
        right[:, LEAVES] |= is_goal  # who points there and goes to where all go stays
        return self._finding("new pointers", table, right, logits)

    def _finding(self, name: str, table: Table, right: Tensor, logits: Tensor) -> Finding:
        wrong = (~right.all(1)).nonzero().flatten()
        first = None
        if len(wrong):
            case, output = (~right).nonzero()[0].tolist()
            true = bool(table.truth[case, output])
            if table.outputs[output] == self.tables.rivals.outputs[TAKES]:
                told = "another node scores as high as the one to go to, or too near to tell"
            else:
                told = verdict(table.outputs[output], found=bool(logits[case, output] > 0), true=true)
            first = f"{told}, for {table.described(case)}"
        some = wrong[torch.linspace(0, len(wrong) - 1, min(len(wrong), MOST_WRONG)).long()]
        settings = self._shown(table, some) if len(wrong) else []
        return Finding(Check(name, Basis.PROOF, len(table.own), len(wrong), SAYS[name], first), settings)

    def _shown(self, table: Table, cases: Tensor) -> list[Setting]:
        return [table.setting.take(self.algorithm, table.shown_by[cases])]

    def _pair(self, name: str, pair: tuple[int, int]) -> Setting:
        """Two edges with these weights, in every pair of states; or two nodes with these priorities, to be united."""
        classes = self.perceiver.classes
        count = classes.count if name == WEIGHT else 1
        label = torch.stack(torch.meshgrid(torch.arange(count), torch.arange(count), indexing="ij"), -1).flatten()
        if name == WEIGHT:
            graph = Graph.pack([4] * count**2, torch.arange(4 * count**2).view(-1, 2))
            values = {**classes.values(label), WEIGHT: torch.tensor(pair).repeat(count**2), PRIORITY: graph.node_place}
        else:
            graph = Graph.pack([2], [(0, 1)])
            values = {**classes.values(label[:1]), WEIGHT: torch.tensor([1]), PRIORITY: torch.tensor(pair)}
        return Setting.of_values(self.algorithm, graph, {**values, PARENT: graph.node_place})

    def _locality(self) -> Check:
        """Whether the algorithm's own concepts and hints depend on what the tables go by: assumed, and tried here."""
        algorithm, tables = self.algorithm, self.tables
        setting = arbitrary(algorithm, LOCAL_GRAPHS, stream(0, "locality", algorithm.name), self.perceiver.most_nodes)
        met, graph = Situations.of(algorithm, setting), setting.graph
        own, concepts, hints = self.perceiver.classes.of(setting.state), met.concepts, met.hints
        united = hints[UNITED].long()
        place, alike = algorithm.declaration.concepts.index(SAME_SET), torch.zeros(graph.num_nodes, dtype=torch.int64)
        rest = [i for i in range(concepts.shape[1]) if i != place]
        edges = tables.edges.look_up(
            own, kinds_among(own, self.perceiver.classes.count, setting.inputs[WEIGHT], pairs_apart(graph.edge_counts))
        )
        ends = tables.ends.look_up(torch.zeros_like(own), goals(setting))
        joins = tables.joins.look_up(own, concepts)
        roots = tables.roots.look_up(alike, callers(setting, hints[JOINS]))
        rivals = tables.rivals.look_up(united, kinds_among(united, 2, setting.inputs[PRIORITY], pairs_apart(graph.node_counts)))
        goal = graph.place(Location.NODE).new_zeros(graph.num_graphs)
        is_goal = rivals[0][:, TAKES]
        goal[graph.node_owner[is_goal]] = graph.node_place[is_goal]
        leaves = rivals[0][setting.state[PARENT] + graph.first_node[graph.node_owner], LEAVES]
        after = torch.where(leaves, goal[graph.node_owner], setting.state[PARENT])
        alike_at = [
            (edges[0] == concepts[:, rest]).all(1) & edges[1],
            (ends[0][:, 0] == concepts[:, place]) & ends[1],
            (joins[0][:, 0] == hints[JOINS]) & joins[1],
            (roots[0][:, 0] == hints[UNITED]) & roots[1],
            (after == hints[PARENT]) & rivals[1],
        ]
        wrong = sum(int((~each).sum()) for each in alike_at)
        return Check(
            name="locality",
            basis=Basis.SAMPLED,
            cases=sum(len(each) for each in alike_at),
            failures=wrong,
            says=f"In {LOCAL_GRAPHS} random graphs in random states, the algorithm's own concepts, hints and pointers are "
            "those of the tables.",
            counterexample=None if not wrong else "two edges or nodes in the same case of a table differ",
        )


def _once(rows: Tensor) -> Tensor:
    """The places of different rows."""
    _, here = rows.unique(dim=0, return_inverse=True)
    return torch.zeros(int(here.max()) + 1, dtype=torch.int64).scatter_(0, here, torch.arange(len(here)))


def _flat_sets(network: Network) -> FlatSets:
    assert isinstance(network.perceiver, FlatSets)
    return network.perceiver
