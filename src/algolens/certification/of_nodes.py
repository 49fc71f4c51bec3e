"""The proof for algorithms on nodes: own class and the set of kinds of neighbours settle a node's concepts."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.certification.certificate import Basis, Check, Finding
from algolens.certification.heard import Heard, sure_messages
from algolens.certification.neighbourhoods import neighbourhoods, two_nodes
from algolens.certification.numbers import every_pair, order_of_numbers
from algolens.certification.proof import MOST_WRONG, ROUNDING, Proof, verdict
from algolens.data import Setting, Situations, arbitrary
from algolens.graphs import stream
from algolens.models import Network
from algolens.models.memoryless import Memoryless

SETS_AT_ONCE = 2**16
LOCAL_GRAPHS = 2_000


class ProofOfNodes(Proof):
    """Tables of own class x kind of neighbour, then of own class x set of kinds."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.perceiver, self.positive = _memoryless(network), _memoryless(self.rounding.positive)
        self.around = neighbourhoods(self.algorithm)

    @classmethod
    def check(cls, algorithm: Algorithm) -> None:
        neighbourhoods(algorithm)

    def findings(self) -> list[Finding]:
        around, perceiver = self.around, self.perceiver
        numbers = [
            order_of_numbers(
                comparison, around.classes.numbers[name], name, partial(two_nodes, self.algorithm, around.classes, name)
            )
            for name, comparison in perceiver.comparisons.items()
        ]
        exchange, positive = perceiver.exchange, self.positive.exchange
        heard = Heard(exchange, positive, self.rounding, around.labels, self._compared() if perceiver.comparisons else None)
        says = (
            "Each bit that a neighbour sends depends on its class, the node's own and how their numbers compare, and is sure."
        )
        patterns, shown_by = around.patterns
        after = self.after_concepts(patterns, lambda wrong: [self._star(int(each)) for each in shown_by[wrong]])
        return [*numbers, sure_messages([heard], says), self._concepts(heard), *after]

    def assumptions(self) -> tuple[str, ...]:
        numbers = self.perceiver.classes.numbers
        among = {"graph": "in a graph", "neighbours": "of neighbours"}
        return (
            *(f"{name}: whole numbers of {kind.bits} bits" for name, kind in numbers.items()),
            *(f"no two values of {name} {among[kind.distinct]} are equal" for name, kind in numbers.items() if kind.distinct),
            ROUNDING,
        )

    def premises(self) -> tuple[str, ...]:
        kinds = "their class, and how their numbers compare with its own" if self.perceiver.classes.numbers else "their class"
        return (
            "the algorithm's own concepts at a node depend on nothing but its class and which kinds of neighbours it has "
            f"({kinds})",
        )

    def tried(self) -> list[Check]:
        numbers = self.perceiver.classes.numbers
        pairs = [every_pair(comparison, numbers[name], name) for name, comparison in self.perceiver.comparisons.items()]
        return [*(check for check in pairs if check is not None), self._locality()]

    def _compared(self) -> Tensor:
        """[K, channels] the bits of the comparison with each kind of neighbour."""
        compared = []
        for name, comparison in self.perceiver.comparisons.items():
            own, others = self.around.numbers(name)
            numbers = torch.cat([torch.tensor([own]), others])
            scores = comparison.scores(self.around.classes.numbers[name].encode(numbers))
            compared.append(comparison(scores[:, :1] - scores[:, 1:])[0])
        return torch.cat(compared, -1)

    def _concepts(self, heard: Heard) -> Finding:
        """Own class x joined bits -> concepts."""
        around, declaration = self.around, self.algorithm.declaration
        failures, first, stars = 0, None, []
        for own in range(around.classes.count):
            bad = []
            for sets in torch.arange(around.num_sets).split(SETS_AT_ONCE):
                logits, sizes = heard.conclude(torch.full((len(sets),), own), around.members(sets))
                truth = around.truth[own, sets]
                right = ((logits > 0) == truth) & self.rounding.sure(logits, sizes)
                bad.append(sets[~right.all(1)])
                if first is None and len(bad[-1]):
                    where, concept = (~right).nonzero()[0].tolist()
                    found, true = bool(logits[where, concept] > 0), bool(truth[where, concept])
                    wrong = verdict(declaration.concepts[concept], found=found, true=true)
                    first = f"{wrong} for {around.described(own, int(sets[where]))}"
            wrong_sets = torch.cat(bad)
            failures += len(wrong_sets)
            if len(wrong_sets):
                some = wrong_sets[torch.linspace(0, len(wrong_sets) - 1, min(len(wrong_sets), MOST_WRONG)).long()]
                stars.append(around.stars(own, some))
        check = Check(
            name="concepts",
            basis=Basis.PROOF,
            cases=around.classes.count * around.num_sets,
            failures=failures,
            says="For a node of every class, and every set of kinds of neighbours around it, all concepts are the true ones.",
            counterexample=first,
        )
        return Finding(check, stars)

    def _star(self, case: int) -> Setting:
        own, chosen = divmod(case, self.around.num_sets)
        return self.around.stars(own, torch.tensor([chosen]))

    def _locality(self) -> Check:
        """Whether the algorithm's own concepts depend on what the tables go by: assumed by the proof, and tried here."""
        algorithm, around = self.algorithm, self.around
        met = Situations.of(algorithm, arbitrary(algorithm, LOCAL_GRAPHS, stream(0, "locality", algorithm.name)))
        values, concepts = {**met.setting.inputs, **met.setting.state}, met.concepts
        own, sets = around.classes.of(values), around.sets(met.setting.graph, values)
        known = sets >= 0
        wrong = (around.truth[own[known], sets[known]] != concepts[known]).any(1)
        differ = "two nodes with the same class and kinds of neighbours differ in a concept"
        return Check(
            name="locality",
            basis=Basis.SAMPLED,
            cases=int(known.sum()),
            failures=int(wrong.sum()),
            says=f"In {LOCAL_GRAPHS} random graphs in random states, the algorithm's own concepts at a node depend on its "
            "class and on which kinds of neighbours it has, and on nothing else.",
            counterexample=None if not wrong.any() else differ,
        )


def _memoryless(network: Network) -> Memoryless:
    assert isinstance(network.perceiver, Memoryless)
    return network.perceiver
