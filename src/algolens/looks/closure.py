"""Every case of what an element can have in view: nobody, then one more other at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algolens.errors import AlgoLensError

MOST_CASES = 300_000  # of one part of a proof; a table of more is given up


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
    size = sends.shape[1]
    sends, most = sends.astype(np.int32), most.astype(np.int32)
    # kinds that add the same lead to the same: the first of them stands for all
    places_of: dict[bytes, int] = {}
    column = [places_of.setdefault(added.tobytes(), len(places_of)) for added in sends]
    distinct = [column.index(place) for place in range(len(places_of))]
    adds = sends[np.array(distinct, np.int64)]
    first = np.zeros(size, np.int32)
    known = {first.tobytes(): 0}
    rows, before, by = [first], [-1], [-1]
    after: list[list[int]] = []
    while len(after) < len(rows):
        case = len(after)
        places = []
        following = np.minimum(rows[case] + adds, most)
        for kind, received in zip(distinct, following, strict=True):
            place = known.setdefault(received.tobytes(), len(rows))
            if place == len(rows):
                rows.append(received)
                before.append(case)
                by.append(kind)
                if place >= largest:
                    raise AlgoLensError(
                        f"there are more than {largest:,} cases of what an element can receive: "
                        "the table is given up."
                    )
            places.append(place)
        after.append(places)
    return Closure(
        np.array(rows),
        np.array(after, np.int64).reshape(len(rows), len(distinct))[:, np.array(column, np.int64)],
        np.array(before),
        np.array(by),
    )
