"""The states of runs that a search looks at: some at first, then those where what it found errs.

Most states of a run tell nothing that others have not told. A search on a third of them takes a
third of the time, and what it finds is held against all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.discovery.differences import first_errors
from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.situations import all_states

FIRST_STATES = 260  # that are looked at first,
MORE_STATES = 600  # and where these leave something unsettled
MOST_ADDED = 40  # runs that err, of which states are added at a time


class ToldStates:
    """Runs, and those of their states that are looked at.

    Parameters
    ----------
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        Runs, of which some states are looked at, drawn at random, and each run's last.
    rng : np.random.Generator
        Draws them.
    """

    def __init__(
        self, schema: Schema, episodes: Sequence[Episodes], rng: np.random.Generator
    ) -> None:
        self.schema, self.rng = schema, rng
        self.episodes: list[Episodes] = []
        self.kept: list[Tensor] = []
        self.add_states(episodes, FIRST_STATES)

    def add_states(self, episodes: Sequence[Episodes], count: int = MORE_STATES) -> bool:
        """Looks at about so many further states of all runs and of some more, drawn at random;
        whether there were any.
        """
        self.episodes += episodes
        self.kept += [_last_states(some) for some in episodes]
        pairs = list(zip(self.episodes, self.kept, strict=True))
        left = [all_states(some) & ~kept for some, kept in pairs]
        total = sum(int(some.sum()) for some in left)
        for kept, some in zip(self.kept, left, strict=True):
            drawn = torch.from_numpy(self.rng.random(tuple(kept.shape)))
            kept |= some & (drawn * total < count)
        return total > 0

    def add_errors(self, algorithm: Algorithm) -> tuple[int, bool]:
        """Looks at the states where an algorithm first errs: in how many runs it does, and whether
        one of these states was not looked at before.
        """
        wrong, is_new = 0, False
        for number, some in enumerate(self.episodes):
            firsts = first_errors(self.schema, some, algorithm)
            for run in (firsts >= 0).nonzero().flatten().tolist()[:MOST_ADDED]:
                wrong += 1
                is_new |= self._add(number, run, int(firsts[run]))
        return wrong, is_new

    def add_runs(self, episodes: Episodes, algorithm: Algorithm) -> bool:
        """Further runs, where an algorithm errs on some: the states where it does, and the last of
        these; whether it does.
        """
        firsts = first_errors(self.schema, episodes, algorithm)
        if not bool((firsts >= 0).any()):
            return False
        self.episodes.append(episodes)
        self.kept.append(_last_states(episodes) & (firsts >= 0))
        for run in (firsts >= 0).nonzero().flatten().tolist():
            self._add(len(self.episodes) - 1, run, int(firsts[run]))
        return True

    def _add(self, number: int, run: int, first: int) -> bool:
        """The state before a step and that after it."""
        states = slice(first, min(first + 2, int(self.episodes[number].lengths[run]) + 1))
        is_new = not bool(self.kept[number][states, run].all())
        self.kept[number][states, run] = True
        return is_new


def _last_states(episodes: Episodes) -> Tensor:
    """[T + 1, G] bools: the state that each run ends in."""
    return torch.arange(len(episodes.frames))[:, None] == episodes.lengths
