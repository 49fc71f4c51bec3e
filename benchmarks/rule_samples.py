"""Hidden formulas and Boolean tables on which rule learners are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import networkx as nx
import numpy as np
from sklearn import datasets

from algolens.logic.patterns import all_patterns

# concepts, up to which a formula is compared on every pattern; of more, on 100,000 fresh ones
MAX_LISTED = 14
# samples and labels to learn from, then samples to be asked for and the truth about them
Sample = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Hidden:
    """Formulas to find again."""

    concepts: int
    clauses: int
    literals: int
    samples: int
    label_noise: float = 0.0
    concept_noise: float = 0.0
    missing: float = 0.0  # the share of concepts that are not known, and count as false
    # concepts more that say the same as the first ones, but in one of a hundred samples
    near_copies: int = 0

    def __str__(self) -> str:
        noise = [f"{100 * share:g} % of {what}" for share, what in self._noises() if share]
        formula = f"{self.clauses} clauses of {self.literals}"
        copies = f" and {self.near_copies} near copies" if self.near_copies else ""
        return (
            f"{self.concepts} concepts{copies}, {formula}, {self.samples:,} samples, "
            f"{' and '.join(noise) or 'clean'}"
        )

    def _noises(self) -> tuple[tuple[float, str], ...]:
        return (
            (self.label_noise, "labels flipped"),
            (self.concept_noise, "concepts flipped"),
            (self.missing, "concepts missing"),
        )

    def draw(self, seed: int) -> Sample:
        """Samples and labels to learn from, then patterns and the truth of the formula on them."""
        random = np.random.default_rng(seed)
        places = [
            random.choice(self.concepts, self.literals, replace=False) for _ in range(self.clauses)
        ]
        signs = [random.random(self.literals) > 0.5 for _ in places]

        def truth(patterns: np.ndarray) -> np.ndarray:
            return np.any(
                [(patterns[:, at] == sign).all(1) for at, sign in zip(places, signs, strict=True)],
                axis=0,
            )

        X = random.random((self.samples, self.concepts)) > 0.5
        y = truth(X) ^ (random.random(self.samples) < self.label_noise)
        X ^= random.random(X.shape) < self.concept_noise
        X &= random.random(X.shape) >= self.missing
        copies = X[:, : self.near_copies] ^ (random.random((self.samples, self.near_copies)) < 0.01)
        listed = self.concepts <= MAX_LISTED
        patterns = (
            all_patterns(self.concepts) if listed else random.random((100_000, self.concepts)) > 0.5
        )
        asked = np.concatenate([patterns, patterns[:, : self.near_copies]], 1)
        return np.concatenate([X, copies], 1), y, asked, truth(patterns)


HIDDEN = (
    *(Hidden(10, 4, 3, 2_000, noise) for noise in (0.0, 0.05, 0.1)),
    Hidden(10, 4, 3, 10_000, 0.2),
    *(Hidden(10, 4, 3, 2_000, 0.0, noise) for noise in (0.02, 0.05)),
    *(Hidden(10, 4, 3, 10_000, 0.0, noise) for noise in (0.1, 0.2)),
    Hidden(10, 4, 3, 5_000, 0.05, 0.05),
    Hidden(10, 4, 3, 5_000, 0.05, missing=0.05),
    Hidden(10, 4, 3, 2_000, 0.05, near_copies=3),
    Hidden(7, 2, 3, 1_000, 0.1),
    Hidden(7, 3, 3, 2_000, 0.2),
    Hidden(14, 6, 4, 5_000, 0.05),
    Hidden(14, 5, 3, 10_000, 0.2),
    Hidden(20, 4, 4, 5_000, 0.1),
    Hidden(20, 3, 3, 10_000, 0.0, 0.05),
    Hidden(30, 4, 4, 10_000, 0.05),
    Hidden(50, 5, 4, 10_000, 0.1),
    Hidden(50, 2, 3, 5_000, 0.2),
)
CLEAN = tuple(
    Hidden(concepts, clauses, 4, 10_000)
    for concepts, clauses in ((10, 5), (14, 5), (20, 5), (30, 4))
)


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Boolean tables: of a game, the monks' problems, two of scikit-learn's that are cut to bools,
    two graphs of NetworkX.
    """
    boards = [board for board in product("xo ", repeat=9) if _is_end(board)]
    cells = np.array([[mark == cell for cell in board for mark in "xo"] for board in boards])
    yield (
        "noughts and crosses: x has won",
        cells,
        np.array([_has_won(board, "x") for board in boards]),
    )
    rows = np.array(list(product(range(3), range(3), range(2), range(3), range(4), range(2))))
    told = np.concatenate([rows[:, [i]] == np.unique(rows[:, i]) for i in range(6)], axis=1)
    yield "monks' problem 1", told, (rows[:, 0] == rows[:, 1]) | (rows[:, 4] == 0)
    flipped = np.random.default_rng(0).random(len(rows)) < 0.05
    third = ((rows[:, 4] == 2) & (rows[:, 3] == 0)) | ((rows[:, 4] != 3) & (rows[:, 1] != 2))
    yield "monks' problem 3, 5 % of labels flipped", told, third ^ flipped
    cancer, digits = datasets.load_breast_cancer(), datasets.load_digits()
    yield (
        "breast cancer, above the median",
        cancer.data > np.median(cancer.data, 0),
        cancer.target == 1,
    )
    yield "digits: is it an 8, pixels above 7", digits.data > 7, digits.target == 8
    club = nx.karate_club_graph()
    yield (
        "karate club: who is joined to whom, Mr. Hi's or not",
        _joined(club),
        np.array([club.nodes[n]["club"] == "Mr. Hi" for n in club]),
    )
    novel = nx.les_miserables_graph()
    largest = nx.community.greedy_modularity_communities(novel)[0]
    yield (
        "Les Misérables: who is joined to whom, in the largest community or not",
        _joined(novel),
        np.array([n in largest for n in novel]),
    )


def _joined(graph: nx.Graph) -> np.ndarray:
    """[nodes, nodes] whether two are the same or have an edge."""
    return nx.to_numpy_array(graph, weight=None, dtype=bool) | np.eye(len(graph), dtype=bool)


def _has_won(board: tuple[str, ...], mark: str) -> bool:
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    return any(all(board[cell] == mark for cell in line) for line in lines)


def _is_end(board: tuple[str, ...]) -> bool:
    crosses, noughts = board.count("x"), board.count("o")
    x_won, o_won = _has_won(board, "x"), _has_won(board, "o")
    if x_won and not o_won:
        return crosses == noughts + 1
    if o_won and not x_won:
        return crosses == noughts
    return not x_won and not o_won and crosses == 5 and noughts == 4
