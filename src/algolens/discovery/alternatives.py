"""Answers that cost the same: runs are looked for that tell them apart.

On the states that a search looked at, several sets of observations may explain a decision for the
same price: a colour that some neighbour has, or some other node. They differ on other graphs. So
further runs are asked for, of small and of larger graphs, until the black box has decided
otherwise than all but one. Those that no run tells apart are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from algolens.discovery.decisions import Explanation
from algolens.discovery.schema import Episodes
from algolens.discovery.search import Search
from algolens.discovery.state import SearchState
from algolens.errors import DefinitionError
from algolens.language.fields import Location


@dataclass(frozen=True)
class Undecided:
    """Two answers of the same price that no run told apart."""

    decision: str
    taken: list[str]
    other: list[str]

    def __str__(self) -> str:
        return f"'{self.decision}' by {' and '.join(self.other)}"


class Alternatives:
    """The sets of observations that cost as much as those that a search took, held against runs.

    Parameters
    ----------
    search : Search
        One that explained every decision.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.script = search, search.state.script
        self.left = [other for made in self.script.decisions.values() for other in made.others]

    def hold_against(self, episodes: Sequence[Episodes]) -> None:
        """Drops those that decide otherwise than the black box did, in some state of these runs."""
        if self.left:
            state = SearchState(self.search.schema, episodes)
            for let in self.search.sums.values():
                state.add_sum(let, state.examples.value(let.value, let.at))
            for name, (location, said) in self.script.look.items():
                state.observe(name, location, said)
            self.left = [other for other in self.left if _decides_alike(other, state)]

    def undecided(self) -> tuple[Undecided, ...]:
        """Those that no run told apart from what was taken."""
        say = self.search.state.text
        return tuple(
            Undecided(other.name, list(map(say, taken.said)), list(map(say, other.said)))
            for other in self.left
            for taken in [self.script.decisions[other.name]]
        )


def _decides_alike(other: Explanation, state: SearchState) -> bool:
    """Whether a set of observations decides as the black box did."""
    examples, location = state.examples, Location(other.location)
    try:
        columns = tuple(examples.own(said, location.value) for said in other.said)
    except DefinitionError:  # an observation of an earlier round
        return False
    steps = examples.has_step(location)
    after = examples.after(other.name)[steps]
    there = replace(other, columns=columns)
    return all(
        (there.column(label, len(steps))[steps] == (after == label)).all()
        for label in np.unique([*other.decided, *after]).tolist()
    )
