"""Every case of what an element can have in view: nobody, then one more other at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algolens.errors import AlgoLensError

MOST_CASES = 300_000  # of one part of a proof; a table of more is given up
PORTION = 4_096  # cases whose successors are computed at once


@dataclass(frozen=True, eq=False)
class Closure:
    """All sums that others in view can add up to, each once; the first is that of nobody."""

    received: np.ndarray  # [cases, D] counts
    after: np.ndarray  # [cases, kinds] the case that follows when another of a kind is in view
    before: np.ndarray  # [cases] a case that leads to it; -1 of the first
    by: np.ndarray  # [cases] and the kind that does

    def kinds_of(self, case: int) -> list[int]:
        """Kinds of others that bring a case about."""
        kinds = []
        while self.before[case] >= 0:
            kinds.append(int(self.by[case]))
            case = int(self.before[case])
        return kinds[::-1]

    def cases(self, exactly: int | None) -> np.ndarray:
        """The cases of exactly so many others in view; None: of any number."""
        if exactly is None:
            return np.arange(len(self.received))
        cases = np.array([0])
        for _ in range(exactly):
            cases = np.unique(self.after[cases])
        return cases


def closure(sends: np.ndarray, most: np.ndarray, largest: int = MOST_CASES) -> Closure:
    """All that can be received, in at most so many cases.

    sends: [kinds, D] what a kind adds. most: [D] where sums stop.
    """
    sends, most = sends.astype(np.int32), most.astype(np.int32)
    # kinds that add the same lead to the same: the first of them stands for all
    places_of: dict[bytes, int] = {}
    column = [places_of.setdefault(added.tobytes(), len(places_of)) for added in sends]
    distinct = np.array([column.index(place) for place in range(len(places_of))], np.int64)
    first = np.zeros((1, sends.shape[1]), np.int32)
    known = {first.tobytes(): 0}
    portions, before, by = [first], [np.array([-1])], [np.array([-1])]
    after: list[int] = []
    for portion in portions:  # grows by the cases that each portion leads to
        following = np.minimum(portion[:, None] + sends[distinct], most)
        following = following.reshape(len(portion) * len(distinct), len(most))
        reached = len(known)
        places = [known.setdefault(key, len(known)) for key in _keys(following)]
        if len(known) > largest:
            raise AlgoLensError(
                f"there are more than {largest:,} cases of what an element can receive: the table "
                "is given up."
            )
        case = len(after) // max(len(distinct), 1)
        after += places
        cases, where = np.unique(np.array(places, np.int64), return_index=True)
        where = where[cases >= reached]  # a new case takes the next number where it is first met
        portions.extend(
            following[where[begin : begin + PORTION]] for begin in range(0, len(where), PORTION)
        )
        before.append(case + where // max(len(distinct), 1))
        by.append(distinct[where % len(distinct)] if len(where) else where)
    return Closure(
        np.concatenate(portions),
        np.array(after, np.int64).reshape(len(known), len(distinct))[:, np.array(column, np.int64)],
        np.concatenate(before),
        np.concatenate(by),
    )


def _keys(rows: np.ndarray) -> list[bytes]:
    """The bytes of each row."""
    width = rows.shape[1] * rows.itemsize
    return rows.view(f"V{width}")[:, 0].tolist() if width else [b""] * len(rows)
