"""Which weights of a training are kept: those that did best on validation."""

from __future__ import annotations

import math
from statistics import fmean

from torch import Tensor

from algolens.models import Network
from algolens.training.schedule import BY_ACCURACIES, STEADY

# cases that a proof found wrong, negative; of how many validations the mean is; the mean
Merit = tuple[float, int, float]
WORST: Merit = (-math.inf, 0, -math.inf)


class Selection:
    """The best weights of every seed up to now.

    By our rule, the highest mean of the validation accuracies (mean-step, last-step, termination,
    concepts) in free running counts, over five validations up to it; of equals, and until there are
    five, the latest. Where a proof can be tried, fewer wrong cases count before accuracy. By the
    paper's rules a single validation counts, and of equals the first: the lowest summed loss in
    free running (which can pick early and useless epochs: while a network gets more steps right,
    the loss of the few it gets wrong grows), or the highest last-step accuracy.
    """

    def __init__(self, network: Network, rule: str = BY_ACCURACIES) -> None:
        self.rule = rule
        count = len(network.seeds)
        self.weights = [network.seed_weights(place) for place in range(count)]
        self.epochs = [0] * count
        self.merits: list[Merit] = [WORST] * count
        # what the last validations gave
        self.recent: list[list[float]] = [[] for _ in range(count)]

    def consider(
        self, place: int, epoch: int, value: float, unproven: int, weights: dict[str, Tensor]
    ) -> None:
        """Takes up one seed's validation.

        value: what the rule goes by, higher is better. unproven: the cases that a proof found
        wrong. weights: those that were validated.
        """
        steady = self.rule == BY_ACCURACIES
        self.recent[place] = [*self.recent[place], value][-STEADY if steady else -1 :]
        merit = -unproven, len(self.recent[place]), fmean(self.recent[place])
        if merit > self.merits[place] or (steady and merit == self.merits[place]):
            self.merits[place], self.epochs[place] = merit, epoch
            self.weights[place] = {name: value.clone() for name, value in weights.items()}

    def restart(self) -> None:
        """Forgets how good weights were, so that only later ones can be selected."""
        self.merits, self.recent = [WORST] * len(self.merits), [[] for _ in self.recent]
