"""Answers that cost the same: runs are looked for that tell them apart.

On the states that a search looked at, several sets of observations may settle a decision for the
same price: a colour that some neighbour has, or some other node. They differ on other graphs. So
further runs are asked for, of small and of larger graphs, until the black box has decided
otherwise than all but one. Those that no run tells apart are told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from algolens.discovery.decisions import Explanation, Script
from algolens.discovery.examples import Examples
from algolens.discovery.schema import Episodes, Schema
from algolens.errors import DefinitionError
from algolens.graphs import Location
from algolens.language.check import MOST_BITS
from algolens.language.ir import Expr, Field, Let


@dataclass(frozen=True, eq=False)
class Undecided:
    """Two answers of the same price that no run told apart."""

    decision: str
    taken: tuple[str, ...]
    other: tuple[str, ...]

    def __str__(self) -> str:
        return f"'{self.decision}' by {' and '.join(self.other)}"

    def to_json(self) -> dict[str, object]:
        """Itself as JSON."""
        return {"decision": self.decision, "taken": list(self.taken), "other": list(self.other)}


class Alternatives:
    """The sets of observations that cost as much as those that a search took, held against runs.

    Parameters
    ----------
    schema : Schema
        The fields.
    script : Script
        What was settled, with its alternatives.
    sums : mapping
        The sums that statements may name, by name.
    text : callable
        Writes statements.
    """

    def __init__(
        self, schema: Schema, script: Script, sums: Mapping[str, Let], text: Callable[[Expr], str]
    ) -> None:
        self.schema, self.script, self.sums, self.text = schema, script, sums, text
        self.left = {
            name: list(settled.others)
            for name, settled in script.decisions.items()
            if settled.others and name in schema.decided
        }

    @property
    def are_left(self) -> bool:
        """Whether some are not told apart yet."""
        return any(self.left.values())

    def hold_against(self, episodes: Sequence[Episodes]) -> None:
        """Drops those that decide otherwise than the black box did, in some state of these runs."""
        if not self.are_left:
            return
        situations = Examples(self.schema, episodes)
        for name, let in self.sums.items():
            total = situations.split(situations.value(let.value, let.at), Location(let.at))
            field = Field(let.at, "number", bits=MOST_BITS, signed=True)
            situations.add({name: (field, total)})
        for name, (location, said) in self.script.look.items():
            values = situations.observe(location.value, said)
            situations.add({name: (Field(location.value, "mask"), values)})
        for name, others in self.left.items():
            location = self.schema.decided[name].location
            steps = situations.has_step(location)
            after = situations.after(name)[steps].astype(np.int64)
            self.left[name] = [
                some
                for some in others
                if (decided := _decided(situations, some)) is not None
                and (decided[steps] == after).all()
            ]

    def undecided(self) -> tuple[Undecided, ...]:
        """Those that no run told apart from what was taken."""
        return tuple(
            Undecided(name, self._texts(self.script.decisions[name]), self._texts(other))
            for name, others in self.left.items()
            for other in others
        )

    def _texts(self, settled: Explanation) -> tuple[str, ...]:
        return tuple(map(self.text, settled.said))


def _decided(situations: Examples, settled: Explanation) -> np.ndarray | None:
    """[N] what a set of observations decides; None where it names what is observed no more."""
    try:
        columns = tuple(
            torch.cat(situations.observe(settled.location.value, said)).numpy()
            for said in settled.said
        )
    except DefinitionError:  # an observation of an earlier round
        return None
    count = situations.count(settled.location)
    made = np.full(count, -1)
    for label in np.unique(settled.decided).tolist():
        made[replace(settled, columns=columns).column(label, count)] = label
    return made
