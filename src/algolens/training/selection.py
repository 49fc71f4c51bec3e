"""Which weights of a training are kept: those that did best on validation."""

from __future__ import annotations

import math
from statistics import fmean

from torch import Tensor

from algolens.models import Network

STEADY = 5  # validations in a row, of which the mean counts: a single one may be high by chance
# under the names of the protocol's facts: where nothing can be proven, and where a proof can be tried
FACTS = {"selection": f"highest mean of the accuracies of {STEADY} validations in a row"}
FACTS_BY_PROOF = {"selection": f"fewest cases that a proof finds wrong, then {FACTS['selection']}"}

# cases that a proof found wrong, negative; of how many validations the mean is; the mean accuracy
Merit = tuple[float, int, float]
WORST: Merit = (-math.inf, 0, -math.inf)


class Selection:
    """The best weights of every seed up to now.

    The highest mean of the validation accuracies (mean-step, last-step, termination, concepts) in free running counts, over
    five validations up to it; of equals, and until there are five, the latest. Where a proof can be tried, fewer wrong cases
    count before accuracy. (The paper's rule, the lowest summed validation loss, picks early and useless epochs: while a network
    in free running gets more steps right, the loss of the few it gets wrong grows.)
    """

    def __init__(self, network: Network) -> None:
        count = len(network.seeds)
        self.weights = [network.seed_weights(place) for place in range(count)]
        self.epochs = [0] * count
        self.merits: list[Merit] = [WORST] * count
        self.recent: list[list[float]] = [[] for _ in range(count)]  # the accuracies of the last validations

    def consider(self, place: int, epoch: int, accuracy: float, unproven: int, weights: dict[str, Tensor]) -> None:
        """Takes up one seed's validation. unproven: the cases that a proof found wrong; weights: those that were validated."""
        self.recent[place] = [*self.recent[place], accuracy][-STEADY:]
        merit = -unproven, len(self.recent[place]), fmean(self.recent[place])
        if merit >= self.merits[place]:
            self.merits[place], self.epochs[place] = merit, epoch
            self.weights[place] = {name: value.clone() for name, value in weights.items()}

    def restart(self) -> None:
        """Forgets how good weights were, so that only later ones can be selected."""
        self.merits, self.recent = [WORST] * len(self.merits), [[] for _ in self.recent]
