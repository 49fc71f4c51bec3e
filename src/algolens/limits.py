"""How large the numbers may be that a user gives: every range in one place.

Commands show them in ``--help``; Python and the command check by the same ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Generic, TypeVar

from algolens.errors import AlgoLensError, brief

N = TypeVar("N", int, float)
MOST_DIGITS = 20  # of a whole number that a user types
MOST_STEPS = 10**9  # that a run may take


@dataclass(frozen=True)
class _Range(Generic[N]):
    """Numbers from the least to the most, both included."""

    what: ClassVar[str]
    kind: ClassVar[type]  # of Python or NumPy
    made: ClassVar[type[Any]]

    least: N
    most: N

    def __str__(self) -> str:
        return f"{self.what} from {self.in_short}"

    @property
    def in_short(self) -> str:
        """Its ends, as ``--help`` shows them."""
        return f"{_ended(self.least)} to {_ended(self.most)}"

    def check(self, given: Any, said: str) -> N:
        """A number of Python or NumPy that is one of these; True and False are none."""
        if not self.has(given):
            raise self.refusal(said, given)
        return self.made(given)

    def has(self, given: Any) -> bool:
        """Whether a value is one of these."""
        is_number = isinstance(given, self.kind) and not isinstance(given, bool)
        return is_number and bool(self.least <= given <= self.most)

    def read(self, text: str, said: str) -> N:
        """The number that a user typed."""
        try:
            number = self.made(text)
        except ValueError:
            raise self.refusal(said, text) from None
        return self.check(number, said)

    def refusal(self, said: str, given: object) -> AlgoLensError:
        """That a number is none of these. said: how its user calls it, as '--epochs'."""
        return AlgoLensError(f"{said} is {in_few_digits(given)}: give {self}.")


class WholeRange(_Range[int]):
    """Whole numbers from the least to the most.

    >>> print(EPOCHS)
    a whole number from 1 to 1,000,000
    """

    what, kind, made = "a whole number", Integral, int

    def read(self, text: str, said: str) -> int:
        """The number that a user typed."""
        if not text.removeprefix("-").isdecimal() or len(text) > MOST_DIGITS:
            raise self.refusal(said, text)
        return super().read(text, said)


class RealRange(_Range[float]):
    """Finite numbers from the least to the most."""

    what, kind, made = "a number", Real, float


def _ended(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,g}"


def in_few_digits(given: object) -> str:
    """What came, in few characters: Python writes no number of more than 4,300 digits."""
    if isinstance(given, int) and abs(given) >= 10**MOST_DIGITS:
        return f"a number of about {int(given.bit_length() * math.log10(2)) + 1:,} digits"
    if isinstance(given, str) and len(given) > MOST_DIGITS and given.isdecimal():
        return f"a number of {len(given):,} digits"
    return brief(repr(given))[:100]


SEED = WholeRange(0, 2**53)  # of what is drawn at random
SEEDS = WholeRange(1, 10_000)  # how many networks are trained side by side
EPOCHS = WholeRange(1, 1_000_000)
EPOCHS_OR_NONE = WholeRange(0, 1_000_000)  # 0: nothing is trained
BATCH = WholeRange(1, 1_000_000)  # graphs, or stars of each stage
WIDTH = WholeRange(1, 4_096)  # of latent states and hidden layers
RATE = RealRange(1e-12, 1_000.0)  # of learning
WEIGHT = RealRange(0.0, 1e12)  # of a part of a loss
SIZE = WholeRange(1, 10**9)  # nodes of a graph that is drawn
SIZES = WholeRange(1, 1_000)  # how many sizes are tested
GRAPHS = WholeRange(1, 10_000_000)  # that are drawn of a size
RUNS = WholeRange(1, 10_000)  # that a discovery begins with
TRIED_NODES = WholeRange(1, 5)  # of all small graphs that a discovery is tried on
SECONDS = RealRange(1.0, 604_800.0)  # a week
JOBS = WholeRange(1, 1_024)  # processes at once
STEP = WholeRange(-MOST_STEPS, MOST_STEPS)  # of a run, from 1 on; from its end, from -1 on
PLACES = WholeRange(
    0, 300
)  # decimals of a number that is multiplied: the product fits into a float
BITS = WholeRange(1, 62)  # of a number
TYPED = WholeRange(0, 2**62)  # a number that is checked again by what takes it
ENGINE_NUMBER = WholeRange(1, 2**31 - 1)  # threads, partitions and steps of a database
OPTION = WholeRange(0, 1_000_000)  # an option of an algorithm that declares no range for it
