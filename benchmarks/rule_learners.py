"""Rule learners side by side, on hidden formulas with and without noise, and on tables that need no
download.

``python -m benchmarks.rule_learners --out docs/rule-learners.md`` with ``pip install
'algolens[peers]'``; a learner that is not installed has no rows. Every learner has its own default
settings, except that a leaf of GOSDT costs 0.005. Seconds are of the processor, on one core;
AlgoLens, which goes by the clock, has 30 of them, as the others have of the processor. With
``--keep FILE`` rows are kept there one by one, and those that are there are not measured again.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import networkx as nx
import numpy as np
from sklearn import datasets
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from algolens.logic.patterns import all_patterns
from algolens.rules import RuleClassifier

SEEDS = range(8200, 8205)  # no setting of ours was chosen on these
SPLITS = range(8200, 8206)
# seconds of the processor for one fit; a learner that needs more is not asked for anything larger
# of the same kind
LIMIT = 30
SECTIONS = ("hidden", "tables", "clean")
# concepts, up to which a formula is compared on every pattern; of more, on 100,000 fresh ones
MAX_LISTED = 14


class TooLong(Exception):
    """The time is over."""


@dataclass(frozen=True)
class Fitted:
    """What a learner learnt."""

    predict: Callable[[np.ndarray], np.ndarray]
    rules: int


def algolens(X: np.ndarray, y: np.ndarray) -> Fitted:
    """Ours; it has as long as the others."""
    fitted = RuleClassifier(seconds=LIMIT).fit(X, y)
    return Fitted(fitted.predict, len(fitted.rule_rows()) - 1)


def ripper(X: np.ndarray, y: np.ndarray) -> Fitted:
    """RIPPER of wittgenstein, for two classes."""
    import pandas
    import wittgenstein

    names = [f"x{i}" for i in range(X.shape[1])]
    fitted = wittgenstein.RIPPER(random_state=0)
    fitted.fit(
        pandas.DataFrame(X.astype(int), columns=names),
        pandas.Series(y.astype(int), name="label"),
        pos_class=1,
    )
    return Fitted(
        lambda Z: np.array(fitted.predict(pandas.DataFrame(Z.astype(int), columns=names)), bool),
        len(fitted.ruleset_.rules),
    )


def rule_fit(X: np.ndarray, y: np.ndarray) -> Fitted:
    """RuleFit of imodels; its rules are those with a weight."""
    from imodels import RuleFitClassifier

    fitted = RuleFitClassifier(random_state=0).fit(X.astype(float), y.astype(int))
    weights = np.abs(fitted.coef)
    return Fitted(
        lambda Z: fitted.predict(Z.astype(float)).astype(bool), int((weights > 1e-9).sum())
    )


def figs(X: np.ndarray, y: np.ndarray) -> Fitted:
    """FIGS of imodels; its rules are its splits."""
    from imodels import FIGSClassifier

    fitted = FIGSClassifier(random_state=0).fit(X.astype(float), y.astype(int))
    return Fitted(lambda Z: fitted.predict(Z.astype(float)).astype(bool), int(fitted.complexity_))


def gosdt(X: np.ndarray, y: np.ndarray) -> Fitted:
    """Optimal sparse trees of gosdt, a leaf costing 0.005 (its default, 0.05, allows a few leaves
    only).
    """
    from gosdt import GOSDTClassifier

    fitted = GOSDTClassifier(regularization=0.005, allow_small_reg=True, time_limit=LIMIT).fit(
        X, y.astype(int)
    )
    grown = fitted.trees_[0].tree
    # its own predict calls scikit-learn in a way that newer versions refuse
    return Fitted(lambda Z: _walked(grown, Z), str(grown).count("prediction"))


def _walked(node: Any, Z: np.ndarray) -> np.ndarray:
    if not hasattr(node, "feature"):
        return np.full(len(Z), bool(node.prediction))
    return np.where(Z[:, node.feature], _walked(node.left_child, Z), _walked(node.right_child, Z))


def tree(X: np.ndarray, y: np.ndarray) -> Fitted:
    """scikit-learn's decision tree; its rules are its leaves."""
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    return Fitted(fitted.predict, int(fitted.get_n_leaves()))


def torch_explain(X: np.ndarray, y: np.ndarray) -> Fitted:
    """Entropy layers of torch-explain: a network is trained, and its explanation of the class true
    is what counts.
    """
    import torch
    from torch_explain.logic.nn.entropy import explain_class
    from torch_explain.nn import EntropyLinear
    from torch_explain.nn.functional import entropy_logic_loss

    torch.manual_seed(0)
    concepts, labels = (
        torch.from_numpy(X).float(),
        torch.nn.functional.one_hot(torch.from_numpy(y).long()).float(),
    )
    layers = [
        EntropyLinear(X.shape[1], 20, n_classes=2),
        torch.nn.LeakyReLU(),
        torch.nn.Linear(20, 10),
    ]
    network = torch.nn.Sequential(*layers, torch.nn.LeakyReLU(), torch.nn.Linear(10, 1))
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.01)
    for _ in range(300):
        optimiser.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            network(concepts).squeeze(-1), labels
        )
        (loss + 1e-4 * entropy_logic_loss(network)).backward()
        optimiser.step()
    every = torch.arange(len(X))
    said, _ = explain_class(
        network, concepts, labels, every, every, target_class=1, topk_explanations=1000
    )
    clauses = [clause.strip(" ()").split(" & ") for clause in (said or "").split(" | ") if clause]
    literals = [
        [(int(one.strip("~ ()").removeprefix("feature")), "~" not in one) for one in of]
        for of in clauses
    ]
    return Fitted(
        lambda Z: (
            np.any([np.all([Z[:, i] == sign for i, sign in of], axis=0) for of in literals], axis=0)
            if literals
            else np.zeros(len(Z), bool)
        ),
        len(literals),
    )


LEARNERS: dict[str, Callable[[np.ndarray, np.ndarray], Fitted]] = {
    "AlgoLens": algolens,
    "RIPPER (wittgenstein)": ripper,
    "RuleFit (imodels)": rule_fit,
    "FIGS (imodels)": figs,
    "GOSDT (gosdt)": gosdt,
    "decision tree (scikit-learn)": tree,
    "torch-explain": torch_explain,
}


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

    def draw(self, seed: int) -> tuple[np.ndarray, ...]:
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


def main() -> None:
    """Measures, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where the page goes; without it, it is printed")
    parser.add_argument("--keep", type=Path, help="a file of rows, which is gone on with")
    parser.add_argument(
        "--kept-only",
        action="store_true",
        help="nothing is measured: the page has the rows that were kept",
    )
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--sections", nargs="*", default=list(SECTIONS), choices=SECTIONS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    threadpool_limits(1)
    signal.signal(signal.SIGPROF, _stop)
    absent, learners = [], []
    for name in asked.learners:
        try:
            LEARNERS[name](*Hidden(4, 1, 1, 100).draw(0)[:2])
            learners.append(name)
        except ImportError:
            absent.append(name)
        except Exception as problem:
            absent.append(f"{name} ({type(problem).__name__})")
    lines = _page(learners, absent, asked.sections, _Rows(asked.keep, asked.kept_only))
    if asked.out:
        asked.out.write_text("\n".join(lines) + "\n")
    else:
        print("\n".join(lines))


class _Rows:
    """Rows of the page, and the file that keeps them."""

    def __init__(self, path: Path | None, kept_only: bool) -> None:
        self.path, self.kept_only = path, kept_only
        lines = path.read_text().splitlines() if path and path.exists() else []
        self.known: dict[tuple[str, str, str], str] = {
            tuple(row[:3]): row[3] for row in map(json.loads, lines)
        }

    def row(self, section: str, data: str, learner: str, measure: Callable[[], str]) -> str | None:
        key = section, data, learner
        if key not in self.known:
            if self.kept_only:
                return None
            self.known[key] = measure()
            if self.path:
                with self.path.open("a") as file:
                    file.write(json.dumps([*key, self.known[key]]) + "\n")
        line = f"| {data} | {learner} | {self.known[key]} |"
        print(line, file=sys.stderr, flush=True)
        return line


def _page(learners: list[str], absent: list[str], sections: list[str], kept: _Rows) -> list[str]:
    lines = [
        "# Rule learners side by side",
        "",
        *__doc__.strip().partition("\n\n")[2].splitlines(),
        "",
    ]
    if absent:
        lines += [f"Not there, or not running, when this page was made: {', '.join(absent)}.", ""]
    parts = {"hidden": _hidden, "tables": _tables, "clean": _clean}
    for section in SECTIONS:
        if section in sections:
            lines += [*(line for line in parts[section](learners, kept) if line is not None), ""]
    return lines[:-1]


def _hidden(learners: list[str], kept: _Rows) -> list[str | None]:
    lines: list[str | None] = [
        f"## Hidden formulas, {len(SEEDS)} of each kind",
        "",
        (
            "Right: on every pattern of concepts, or on 100,000 fresh ones of more than 14 "
            "concepts, without noise; the mean."
        ),
        "Found: right on all of them. Rules: clauses, weighted rules, splits or leaves; the mean.",
        "",
        "| data | learner | right, % | found | rules | seconds |",
        "|---|---|---|---|---|---|",
    ]
    slow: set[str] = set()
    for case in HIDDEN:
        lines += [
            kept.row("hidden", str(case), name, partial(_hidden_row, case, name, slow))
            for name in learners
        ]
    return lines


def _tables(learners: list[str], kept: _Rows) -> list[str | None]:
    lines: list[str | None] = [
        "## Tables",
        "",
        (
            f"Right: on the 30 % of rows that were kept back, the mean of {len(SPLITS)} splits and "
            "its standard error."
        ),
        "",
        "| data | learner | right, % | rules | seconds |",
        "|---|---|---|---|---|",
    ]
    for title, X, y in tables():
        lines += [
            kept.row("tables", title, name, partial(_table_row, X, y, name)) for name in learners
        ]
    return lines


def _clean(learners: list[str], kept: _Rows) -> list[str | None]:
    lines: list[str | None] = [
        "## Clean formulas: seconds until the answer",
        "",
        (
            f"The longest of {len(SEEDS)} fits of AlgoLens; the proof that none is smaller is "
            "tried for a moment."
        ),
        "",
        "| data | learner | found | rules | proven smallest | seconds |",
        "|---|---|---|---|---|---|",
    ]
    asked = [name for name in learners if LEARNERS[name] is algolens]
    return lines + [
        kept.row("clean", str(case), name, partial(_clean_row, case))
        for case in CLEAN
        for name in asked
    ]


def _hidden_row(case: Hidden, name: str, slow: set[str]) -> str:
    right, rules, seconds = [], [], []
    if name not in slow:
        for seed in SEEDS:
            X, y, patterns, truth = case.draw(seed)
            fitted, took = _timed(LEARNERS[name], X, y)
            if fitted is None:
                slow.add(name)
                break
            right.append(float((fitted.predict(patterns) == truth).mean()))
            rules.append(fitted.rules)
            seconds.append(took)
    if len(right) < len(SEEDS):
        return f"| | | over {LIMIT}"
    found = sum(share == 1 for share in right)
    return (
        f"{100 * np.mean(right):.2f} | {found} of {len(SEEDS)} | {np.mean(rules):.1f} | "
        f"{np.mean(seconds):.2f}"
    )


def _table_row(X: np.ndarray, y: np.ndarray, name: str) -> str:
    right, rules, seconds = [], [], []
    for seed in SPLITS:
        train, test, labels, truth = train_test_split(
            X, y, test_size=0.3, random_state=seed, stratify=y
        )
        fitted, took = _timed(LEARNERS[name], train, labels)
        if fitted is None:
            return f"| | over {LIMIT}"
        right.append(100 * float((fitted.predict(test) == truth).mean()))
        rules.append(fitted.rules)
        seconds.append(took)
    error = np.std(right, ddof=1) / np.sqrt(len(SPLITS))
    return f"{np.mean(right):.2f} ± {error:.2f} | {np.mean(rules):.1f} | {np.mean(seconds):.2f}"


def _clean_row(case: Hidden) -> str:
    fits, took = [], []
    for seed in SEEDS:
        X, y, patterns, truth = case.draw(seed)
        began = time.process_time()
        fitted = RuleClassifier(seconds=LIMIT).fit(X, y)
        took.append(time.process_time() - began)
        fits.append(
            (
                (fitted.predict(patterns) == truth).all(),
                len(fitted.rules_[True].clauses),
                fitted.rules_[True].proven,
            )
        )
    found, rules, proven = np.array(fits).T
    return (
        f"{found.sum()} of {len(SEEDS)} | {rules.mean():.1f} | {proven.sum()} of {len(SEEDS)} | "
        f"{max(took):.2f}"
    )


def _timed(
    learner: Callable[[np.ndarray, np.ndarray], Fitted], X: np.ndarray, y: np.ndarray
) -> tuple[Fitted | None, float]:
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        fitted = learner(X, y)
    except TooLong:
        return None, 0.0
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return fitted, time.process_time() - began


def _stop(number: int, frame: FrameType | None) -> Any:  # noqa: ARG001
    raise TooLong


if __name__ == "__main__":
    main()
