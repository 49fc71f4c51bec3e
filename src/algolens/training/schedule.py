"""How a network is trained, as data; a value that makes no sense is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from torch import Tensor

from algolens.errors import AlgoLensError, brief
from algolens.limits import BATCH, EPOCHS, RATE, WEIGHT, RealRange, WholeRange, in_few_digits
from algolens.models import Network

# settings that are words, in those of the protocol's facts: ours first, then the authors' code's
BATCHES = SHUFFLED, IN_ORDER = "in a new order every epoch", "in the order of the data set"
ENDED_GRAPHS = LEFT_OUT, COUNT_ON = "count no more", "go on to count"
COUNTED_STEPS = TAKEN, AS_NODES, BEYOND_NODES = (
    "those taken",
    "as many as nodes",
    "one more than nodes",
)
CONCEPT_LOSSES = SUM, MEAN = "their sum", "their mean"
OUTPUT_LOSSES = WHOLE, SHARED = (
    "its cross-entropy",
    "its cross-entropy divided by the number of classes",
)
STEADY = 5  # validations in a row, of which the mean counts: a single one may be high by chance
SELECTIONS = BY_ACCURACIES, BY_LOSSES, BY_LAST_STEP = (
    f"highest mean of the accuracies of {STEADY} validations in a row",
    "lowest sum of validation losses",
    "highest last-step accuracy",
)


@dataclass(frozen=True)
class Schedule:
    """How a network is trained.

    Parameters
    ----------
    epochs, batch_size
        How many; and how many graphs, or stars of each stage, make a batch.
    learning_rate, beta2
        Of AdamW, which is Adam where ``weight_decay`` is 0; ``beta2`` is the share of its mean of
        squared gradients that each step keeps.
    clip
        The largest norm of a seed's gradient, to which longer ones are shortened (Pascanu et al.
        2013); 0: any.
    weight_decay
        A step takes this share of every weight away, times the learning rate (Loshchilov and Hutter
        2019).
    decay
        The last part of the epochs, as a share, in which the learning rate falls to zero (half a
        cosine).
    balanced_concepts, balanced_outputs
        A concept's positives count more in the loss where they are rare; an output's classes
        likewise.
    smoothing
        Of labels (Szegedy et al. 2016): the share of every target that goes to all classes alike.
    concept_weights, hint_weights
        Of concepts in the loss, 1 where not named; of the classes of hints, likewise.
    l1
        Weight of the L1 norm of the concept decoders' first layers.
    prune_epoch
        After it, concepts of small weights are taken away; only later epochs can be selected.
    batches
        The order of training graphs.
    ended_graphs
        Whether a graph counts in the loss until the longest of its batch has ended.
    counted_steps
        Of each graph, over which rare classes are counted; after its end, a graph rests as it is.
    concept_loss, output_loss
        Of an element's concepts, and of its output.
    selection
        Of an epoch, on validation; of equals the latest, by the other rules the first.
    validate_every
        Epochs between two validations.
    enough
        So many validations in a row, right in everything for every seed, end the training; 0: train
        all epochs.

    Raises
    ------
    AlgoLensError
        A setting is not what it may be; the message says what that is.
    """

    epochs: int = 500
    batch_size: int = 32
    learning_rate: float = 1e-3
    beta2: float = 0.999
    clip: float = 0.0
    weight_decay: float = 0.0
    decay: float = 0.0
    balanced_concepts: bool = True
    balanced_outputs: bool = True
    smoothing: float = 0.0
    concept_weights: Mapping[str, float] = field(default_factory=dict)
    hint_weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    l1: float = 0.0
    prune_epoch: int | None = None
    batches: str = SHUFFLED
    ended_graphs: str = LEFT_OUT
    counted_steps: str = TAKEN
    concept_loss: str = SUM
    output_loss: str = WHOLE
    selection: str = BY_ACCURACIES
    validate_every: int = 1
    enough: int = 0

    def __post_init__(self) -> None:
        for name, (wanted, is_one) in VALUES.items():
            value = getattr(self, name)
            if not is_one(value):
                came = brief(repr(value)) if not isinstance(value, int) else in_few_digits(value)
                raise AlgoLensError(f"'{name}' of the schedule is {wanted}; {came} came.")
        if self.prune_epoch is not None and self.prune_epoch > self.epochs:
            raise AlgoLensError(
                f"'prune_epoch' of the schedule is {self.prune_epoch}, after the last of "
                f"{self.epochs} epochs."
            )

    def with_epochs(self, epochs: int) -> Schedule:
        """The same with so many epochs; the pruning epoch moves along."""
        prune = self.prune_epoch and max(1, self.prune_epoch * epochs // self.epochs)
        return replace(self, epochs=epochs, prune_epoch=prune)

    def rate(self, epoch: int) -> float:
        """The learning rate of an epoch (from 1 on)."""
        falling = self.decay * self.epochs
        done = (epoch - 1 - (self.epochs - falling)) / falling if falling else 0.0
        return self.learning_rate * (1 + math.cos(math.pi * max(done, 0.0))) / 2


def _are_weights(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_AMOUNT[1], value.values()))


def _one_of(words: tuple[str, ...]) -> tuple[str, Callable[[Any], bool]]:
    return " or ".join(f"'{word}'" for word in words), lambda value: value in words


def _in(allowed: WholeRange | RealRange) -> tuple[str, Callable[[Any], bool]]:
    return str(allowed), allowed.has


_SHARE, _AMOUNT = _in(RealRange(0.0, 1.0)), _in(WEIGHT)
_FLAG = ("true or false", lambda value: isinstance(value, bool))
# what a setting may be, in words and as a test
VALUES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "epochs": _in(EPOCHS),
    "batch_size": _in(BATCH),
    "learning_rate": _in(RATE),
    "beta2": _in(RealRange(0.0, 0.999999)),
    "clip": _AMOUNT,
    "weight_decay": _AMOUNT,
    "decay": _SHARE,
    "balanced_concepts": _FLAG,
    "balanced_outputs": _FLAG,
    "smoothing": _SHARE,
    "concept_weights": (f"{WEIGHT} for each concept that it names", _are_weights),
    "hint_weights": (
        f"for each hint that it names {WEIGHT} for each class",
        lambda value: isinstance(value, Mapping) and all(map(_are_weights, value.values())),
    ),
    "l1": _AMOUNT,
    "prune_epoch": (
        f"null or {EPOCHS}",
        lambda value: value is None or EPOCHS.has(value),
    ),
    "batches": _one_of(BATCHES),
    "ended_graphs": _one_of(ENDED_GRAPHS),
    "counted_steps": _one_of(COUNTED_STEPS),
    "concept_loss": _one_of(CONCEPT_LOSSES),
    "output_loss": _one_of(OUTPUT_LOSSES),
    "selection": _one_of(SELECTIONS),
    "validate_every": _in(EPOCHS),
    "enough": _in(WholeRange(0, EPOCHS.most)),
}


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
        """Take up one seed's validation.

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
        """Forget how good weights were, so that only later ones can be selected."""
        self.merits, self.recent = [WORST] * len(self.merits), [[] for _ in self.recent]
