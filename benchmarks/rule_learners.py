"""Rule learners side by side, on hidden formulas with and without noise, and on tables that need no
download.

``python -m benchmarks.rule_learners --keep rows.jsonl --out results/pages/rule-learners.md`` writes
this page (``pip install '.[peers]'`` first). Rows are kept in the file, and kept rows are not
measured again. Sections that are not asked for (``--sections``), and text that people wrote, stay.
A learner that is not installed has no rows. Every learner has its default settings, except that a
leaf of GOSDT costs 0.005, or one sample where that is more (its default, 0.05, allows few leaves).
Seconds are CPU seconds on one core. A fit has 120 of them (``--limit``; AlgoLens and GOSDT go by
the clock). A learner gets samples or splits until its fits have taken that long together; a row
with fewer says how many.

Nothing was chosen on what is measured here: hidden formulas have seeds from 8200 (the search was
chosen on seeds from 1000), splits of tables have seeds from 26900, drawn for this page.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from benchmarks.rule_peers import BALANCED, LEARNERS, OURS, Learner, TooLong
from benchmarks.rule_samples import CLEAN, HIDDEN, Sample, tables

SEEDS = range(8200, 8205)  # no setting of ours was chosen on these
SPLITS = range(26900, 26930)  # nor on these splits
TEST_SHARE = 0.3
SECONDS = 120  # of the processor, for one fit
# of the page, and how their headings begin
SECTIONS = {
    "tables": ("## Where AlgoLens stands", "## Tables"),
    "hidden": ("## Hidden formulas",),
    "clean": ("## Clean formulas",),
}

AHEAD, EVEN, BEHIND = "ahead of every peer", "indistinguishable from the best", "behind the best"


def main() -> None:
    """Measures, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where the page goes; without it, it is printed")
    parser.add_argument("--keep", type=Path, help="a file of rows, which is gone on with")
    parser.add_argument(
        "--kept-only",
        action="store_true",
        help="nothing is measured: the page has the rows that were kept",
    )
    parser.add_argument("--limit", type=float, default=SECONDS, help="seconds of a fit")
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--data", default="", help="only tables and formulas so called, in part")
    parser.add_argument("--sections", nargs="*", default=list(SECTIONS), choices=list(SECTIONS))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    threadpool_limits(1)
    signal.signal(signal.SIGPROF, _stop)
    rows = Rows(asked.keep, asked.kept_only, asked.limit, asked.data)
    parts = {"hidden": _hidden, "tables": _tables, "clean": _clean}
    lines = ["# Rule learners side by side", "", *__doc__.strip().partition("\n\n")[2].splitlines()]
    page = asked.out.read_text() if asked.out and asked.out.exists() else ""
    _, *there = re.split("^(?=## )", page, flags=re.MULTILINE)
    known = tuple(heading for headings in SECTIONS.values() for heading in headings)
    for part in there:
        if not part.startswith(known):  # what people wrote
            lines += ["", *part.strip().splitlines()]
    for section, headings in SECTIONS.items():
        if section in asked.sections:
            lines += ["", *parts[section](asked.learners, rows)]
        else:
            kept = (part for part in there if part.startswith(headings))
            lines += [line for part in kept for line in ("", *part.strip().splitlines())]
    if asked.out:
        asked.out.write_text("\n".join(lines) + "\n")
    else:
        print("\n".join(lines))


@dataclass(frozen=True)
class Measured:
    """What fits to one sample after the other gave, and why there are no more of them."""

    right: list[float]  # the share, in percent
    balanced: list[float]  # the mean of both classes' shares, in percent
    rules: list[int]
    seconds: list[float]
    proven: int  # how many fits are proven smallest
    stopped: str  # empty where all samples were taken

    def cells(self, wanted: int, told: Callable[[list[float]], str], *more: str) -> str:
        """Cells of a row of a table."""
        if not self.right:
            return " | ".join(["", *[""] * len(more), "", self.stopped])
        fewer = "" if len(self.right) == wanted else f" (of {len(self.right)})"
        rules, seconds = np.mean(self.rules), np.mean(self.seconds)
        return " | ".join([told(self.right) + fewer, *more, f"{rules:.1f}", f"{seconds:.2f}"])


class Rows:
    """Measured rows, and the file that keeps them."""

    def __init__(self, path: Path | None, kept_only: bool, limit: float, data: str) -> None:
        self.path, self.kept_only, self.limit, self.data = path, kept_only, limit, data
        lines = path.read_text().splitlines() if path and path.exists() else []
        self.known = {tuple(row[:3]): Measured(**row[3]) for row in map(json.loads, lines)}

    def row(self, section: str, data: str, name: str, samples: Iterable[Sample]) -> Measured | None:
        """What is known, or else is measured now; None where nothing is to be measured."""
        key = section, data, name
        if key not in self.known:
            if self.kept_only or self.data not in data:
                return None
            try:
                self.known[key] = measure(LEARNERS[name], samples, self.limit)
            except ImportError:
                return None
            print(*key, self.known[key], file=sys.stderr, flush=True)
            if self.path:
                with self.path.open("a") as file:
                    file.write(json.dumps([*key, vars(self.known[key])]) + "\n")
        return self.known[key]


def measure(learner: Learner, samples: Iterable[Sample], limit: float) -> Measured:
    """One fit after the other, until their time is over."""
    measured = Measured([], [], [], [], 0, "")
    for X, y, asked, truth in samples:
        if sum(measured.seconds) > limit:
            return replace(measured, stopped="over in all")
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            fitted = learner(X, y, limit)
        except TooLong:
            return replace(measured, stopped=f"over {limit:g}")
        except (ArithmeticError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as why:
            return replace(measured, stopped=f"failed: {type(why).__name__}")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        measured.seconds.append(time.process_time() - began)
        is_right = fitted.predict(asked) == truth
        measured.right.append(100 * float(is_right.mean()))
        of_classes = [float(is_right[truth == label].mean()) for label in np.unique(truth)]
        measured.balanced.append(100 * float(np.mean(of_classes)))
        measured.rules.append(fitted.rules)
        measured = replace(measured, proven=measured.proven + fitted.proven)
    return measured


def _tables(learners: list[str], rows: Rows) -> list[str]:
    standing, lines = [], []
    by_words: dict[str, list[str]] = {AHEAD: [], EVEN: [], BEHIND: []}
    for title, X, y in tables():
        measured = {name: rows.row("tables", title, name, _splits(X, y)) for name in learners}
        known = {name: row for name, row in measured.items() if row is not None}
        ours = known[OURS].right if OURS in known else []
        differences = {
            name: np.subtract(row.right, ours[: len(row.right)])
            for name, row in known.items()
            if name != OURS and len(row.right) > 1 and ours
        }
        for name, row in known.items():
            beside = _with_error(differences[name], "+.2f") if name in differences else ""
            balanced = f"{np.mean(row.balanced):.2f}" if row.right else ""
            cells = row.cells(len(SPLITS), _with_error, beside, balanced)
            lines.append(f"| {title} | {name} | {cells} |")
        if OURS in known:
            cells, words = _standing(differences)
            standing.append(f"| {title} | {_with_error(ours)} | {cells} | {words} |")
            by_words.setdefault(words, []).append(title.partition(":")[0].partition(",")[0])
    return [
        "## Where AlgoLens stands",
        "",
        (
            "The peer with the highest accuracy on the same splits, and its lead over AlgoLens. "
            "Choosing the best of several after the fact favours it. A difference is significant"
        ),
        (
            "above two standard errors. These are corrected for the rows that splits share "
            f"(Nadeau and Bengio, 2003: variance times 1/{len(SPLITS)} + 3/7), so more splits "
            "would not make them much smaller."
        ),
        "",
        "| data | AlgoLens, % | best peer | its lead, points | AlgoLens is |",
        "|---|---|---|---|---|",
        *standing,
        "",
        *(
            f"- {words}: {', '.join(titles) or 'on no table'}."
            for words, titles in by_words.items()
        ),
        "",
        "## Tables",
        "",
        (
            f"Right: on the 30 % of rows that were kept back, the mean of {len(SPLITS)} splits and "
            "its standard error, corrected as above. Beside AlgoLens: the mean"
        ),
        (
            "difference on the same splits, with its own standard error. Balanced: the mean over "
            "both classes of the share that is right. Rules: clauses, weighted rules, splits or "
            "leaves; the mean."
        ),
        "",
        "| data | learner | right, % | beside AlgoLens | balanced, % | rules | seconds |",
        "|---|---|---|---|---|---|---|",
        *_named_once(lines),
    ]


def _splits(X: np.ndarray, y: np.ndarray) -> Iterator[Sample]:
    for seed in SPLITS:
        train, test, labels, truth = train_test_split(
            X, y, test_size=TEST_SHARE, random_state=seed, stratify=y
        )
        yield train, labels, test, truth


def _standing(differences: Mapping[str, np.ndarray]) -> tuple[str, str]:
    """The best peer with what it has more than ours; and whether chance may explain that."""
    peers = {name: more for name, more in differences.items() if name != BALANCED}
    if not peers:
        return " | ", EVEN
    name = max(peers, key=lambda name: float(peers[name].mean()))
    more, error = float(peers[name].mean()), _standard_error(peers[name])
    words = EVEN if abs(more) <= 2 * error else BEHIND if more > 0 else AHEAD
    splits = "" if len(peers[name]) == len(SPLITS) else f" (of {len(peers[name])})"
    return f"{name} | {_with_error(peers[name], '+.2f')}{splits}", words


def _with_error(values: Sequence[float] | np.ndarray, form: str = ".2f") -> str:
    """The mean, and its standard error."""
    error = f" ± {_standard_error(values):.2f}" if len(values) > 1 else ""
    return f"{np.mean(values):{form}}{error}"


def _standard_error(values: Sequence[float] | np.ndarray) -> float:
    """Of the mean over splits, which share rows: Nadeau and Bengio's correction."""
    shared = TEST_SHARE / (1 - TEST_SHARE)
    return float(np.std(values, ddof=1) * np.sqrt(1 / len(values) + shared))


def _hidden(learners: list[str], rows: Rows) -> list[str]:
    lines = [
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
    for case in HIDDEN:
        for name in learners:
            if name != BALANCED:
                row = rows.row("hidden", str(case), name, map(case.draw, SEEDS))
                if row is not None:
                    found = f"{row.right.count(100)} of {len(row.right)}" if row.right else ""
                    cells = row.cells(len(SEEDS), lambda right: f"{np.mean(right):.2f}", found)
                    lines.append(f"| {case} | {name} | {cells} |")
    return _named_once(lines)


def _named_once(lines: list[str]) -> list[str]:
    """A row of the same data as the row before it does not name them again."""
    data = [line.split(" | ")[0] for line in lines]
    return [
        line.replace(name, "|", 1) if name.startswith("| ") and name == before else line
        for line, name, before in zip(lines, data, ["", *data], strict=False)
    ]


def _clean(learners: list[str], rows: Rows) -> list[str]:
    lines = [
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
    for case in CLEAN:
        row = (
            rows.row("clean", str(case), OURS, map(case.draw, SEEDS)) if OURS in learners else None
        )
        if row is not None:
            cells = [f"{row.right.count(100)} of {len(SEEDS)}", f"{np.mean(row.rules):.1f}"]
            cells += [f"{row.proven} of {len(SEEDS)}", f"{max(row.seconds):.2f}"]
            lines.append(f"| {case} | {OURS} | {' | '.join(cells)} |")
    return lines


def _stop(number: int, frame: FrameType | None) -> Any:  # noqa: ARG001
    raise TooLong


if __name__ == "__main__":
    main()
