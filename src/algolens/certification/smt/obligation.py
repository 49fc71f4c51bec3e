"""What has to be shown of a network, one statement at a time; and what contradicts it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from algolens.models import Network

Values = Mapping[str, bool | Fraction]  # what a solver found for the constants of a file


class Counterexample(ABC):
    """In what a statement does not hold."""

    @abstractmethod
    def words(self) -> str:
        """In plain words."""

    @abstractmethod
    def is_wrong(self, network: Network) -> bool:
        """Whether the network really gets it wrong; otherwise it is only too near to the threshold
        to be sure.
        """


@dataclass(frozen=True, eq=False)
class Obligation:
    """A file whose statements cannot all hold: its negation is what has to be shown."""

    name: str  # of the file, without its ending
    part: str  # of the network
    says: str  # what holds where a solver answers 'unsat', in plain words
    text: str  # SMT-LIB 2.6
    # the situation that a solver found, where it answers 'sat'
    read: Callable[[Values], Counterexample]


def script(
    logic: str, says: str, constants: Mapping[str, str], lines: list[str], *, claim: str
) -> str:
    """A whole file. constants: by name their sort. claim: what is to be shown; its opposite is
    asserted.
    """
    return "\n".join(
        [
            *(f"; {line}" for line in says.splitlines()),
            "; A solver is to answer: unsat",
            f"(set-logic {logic})",
            *(f"(declare-const {name} {sort})" for name, sort in constants.items()),
            *lines,
            f"(assert (not {claim}))",
            "(check-sat)",
            "",
        ]
    )
