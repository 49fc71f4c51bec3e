"""What a report says first: a headline, and in three sentences what was run, what came out and what
falls short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from algolens.reports.material import MODEL_TITLES, Material, ShownModel
from algolens.reproduction.accuracies import Compared, compared_with_published
from algolens.reproduction.significance import BETTER, EQUAL, WORSE, mean_and_std
from algolens.terminal.outcome import count_in_words
from algolens.terminal.scores import TITLES

MOST_NAMED = 3  # of what falls short; of more, their number
NOTHING_SHORT = "Of all that was measured, nothing falls short."


@dataclass(frozen=True)
class Headline:
    """The beginning of a report."""

    title: str
    run: str  # what was run
    found: str  # what came out
    short: str  # what falls short

    @property
    def sentences(self) -> dict[str, str]:
        """The three sentences, by what each is about."""
        return {"Run": self.run, "Found": self.found, "Short": self.short}


@dataclass(frozen=True)
class Standing:
    """How figures stand to the published ones of the same networks; those that cannot be compared
    are left out.
    """

    better: int
    equal: int
    worse: tuple[str, ...]  # each in words, the largest difference first
    worse_alone: tuple[str, ...]  # what would be worse if it were the only comparison, likewise

    @property
    def count(self) -> int:
        """How many were compared."""
        return self.better + self.equal + len(self.worse)

    @property
    def in_words(self) -> str:
        """How many are which."""
        return (
            f"{self.better} significantly better, {self.equal} statistically indistinguishable, "
            f"{len(self.worse)} significantly worse"
        )


def headline(material: Material) -> Headline:
    """Computed from the runs of a report alone."""
    compared = compared_with_published(material)
    beside = beside_published(compared)
    certified, of_seeds = seeds_certified(material.runs)
    if beside.count:
        title = f"Of {beside.count} published figures, {beside.in_words}"
    elif of_seeds and certified == of_seeds and all(_is_exact(run) for run in material.runs):
        title = f"{_listed(material.all_algorithms)}: proven right on every graph"
    else:
        title = f"{_listed(material.all_algorithms)}: {_lowest_step(material.runs)}"
    return Headline(
        title,
        _run(material.runs),
        _found(material, beside, compared),
        _short(material, beside, compared),
    )


def beside_published(compared: Compared, *, literal: bool = False) -> Standing:
    """Every figure that the paper has of the same network; an exact network stands beside none of
    its own.

    literal: those of networks trained as in the paper, instead of those of our own presets.
    """
    chosen = {key: each for key, each in compared.items() if (key[0].model == "literal") == literal}
    found = [each.mark for each in chosen.values()]
    worse = {key: each for key, each in chosen.items() if each.mark == WORSE}
    alone = {
        key: each for key, each in chosen.items() if each.mark != WORSE and each.alone.mark == WORSE
    }
    return Standing(found.count(BETTER), found.count(EQUAL), _in_words(worse), _in_words(alone))


def _in_words(compared: Compared) -> tuple[str, ...]:
    """Each figure that is worse, the largest difference first."""
    words = []
    for (run, metric, size), each in sorted(compared.items(), key=lambda item: item[1].difference):
        ours = mean_and_std(run.scores["sizes"][size][metric])["mean"]
        words.append(
            f"{run.title}, {TITLES[metric]} at {size} nodes ({ours:.2f}, published "
            f"{ours - each.difference:.2f})"
        )
    return tuple(words)


def seeds_certified(runs: Sequence[ShownModel]) -> tuple[int, int]:
    """How many seeds of exact networks are proven right, and how many there are."""
    exact = [run for run in runs if _is_exact(run)]
    proven = sum(bool(each["proven"]) for run in exact for each in run.certificates)
    return proven, sum(len(run.scores["seeds"]) for run in exact)


def rules_true(runs: Sequence[ShownModel]) -> tuple[int, int]:
    """How many seeds go by rules that are the true ones on every pattern that occurs, and of how
    many that is known.
    """
    verdicts = [verdict for run in runs for verdict in run.study.get("verdicts", ())]
    return sum(bool(verdict["equal_on_seen"]) for verdict in verdicts), len(verdicts)


def _run(runs: Sequence[ShownModel]) -> str:
    seeds = sorted({len(run.scores["seeds"]) for run in runs})
    sizes = sorted({int(size) for run in runs for size in run.scores["sizes"]})
    algorithms = list(dict.fromkeys(run.algorithm for run in runs))
    kinds = list(dict.fromkeys(MODEL_TITLES.get(run.model, run.model) for run in runs))
    each = f"{_between(seeds)} {'seed' if seeds[-1] == 1 else 'seeds'}" + (
        " each" if len(runs) > 1 else ""
    )
    return (
        f"{count_in_words(len(runs), 'run')} of {_listed(algorithms)} ({'; '.join(kinds)}), "
        f"{each}, tested on graphs of {_listed([f'{size:,}' for size in sizes])} nodes that "
        "training had "
        "not seen."
    )


def _found(material: Material, beside: Standing, compared: Compared) -> str:
    parts = []
    if beside.count:
        parts.append(
            f"of {beside.count} published figures, {beside.in_words} (at 5 % for all "
            f"{len(compared)} comparisons together, by Holm's procedure)"
        )
    literal = beside_published(compared, literal=True)
    if literal.count:
        parts.append(f"trained as in the paper, of {literal.count}, {literal.in_words}")
    certified, of_seeds = seeds_certified(material.runs)
    if of_seeds:
        parts.append(
            f"{certified} of {count_in_words(of_seeds, 'exact network')} {_is(of_seeds)} proven "
            "right on every graph"
        )
    true, of_rules = rules_true(material.runs)
    if of_rules:
        parts.append(
            f"the rules of {true} of {count_in_words(of_rules, 'seed')} are the true ones on every "
            "pattern that occurs"
        )
    parts.append(_lowest_step(material.runs))
    return _sentence(parts)


def _short(material: Material, beside: Standing, compared: Compared) -> str:
    parts = []
    for standing, whose in (
        (beside, ""),
        (beside_published(compared, literal=True), ", trained as in the paper,"),
    ):
        if standing.worse:
            parts.append(
                f"{_figures(standing.worse, whose)} significantly worse than published: "
                f"{_first(standing.worse)}"
            )
        if standing.worse_alone:
            parts.append(
                f"{_figures(standing.worse_alone, whose)} worse if each is compared alone, at 5 %: "
                f"{_first(standing.worse_alone)}"
            )
    certified, of_seeds = seeds_certified(material.runs)
    if certified < of_seeds:
        parts.append(
            f"{of_seeds - certified} of {count_in_words(of_seeds, 'exact network')} "
            f"{_is(of_seeds - certified)} not proven"
        )
    true, of_rules = rules_true(material.runs)
    if true < of_rules:
        differing = [
            run.title for run in material.runs if rules_true([run])[0] < rules_true([run])[1]
        ]
        parts.append(
            f"the rules of {of_rules - true} of {count_in_words(of_rules, 'seed')} are not the "
            f"true ones ({_listed(differing)})"
        )
    lowest = min(_graphs_right(material.runs), default=None)
    if lowest is not None and lowest[0] < 100:
        parts.append(
            f"fewest graphs are right in every step with {lowest[2]}: {lowest[0]:.2f} % of those "
            f"of {lowest[1]:,} nodes"
        )
    departing = [len(run.departures) for run in material.runs if run.departures]
    if departing:
        points = (
            "1 point"
            if max(departing) == 1
            else f"{_between(sorted({min(departing), max(departing)}))} points"
        )
        parts.append(
            f"{count_in_words(len(departing), 'run')} "
            f"{'departs' if len(departing) == 1 else 'depart'} from the paper in {points}"
        )
    return _sentence(parts) if parts else NOTHING_SHORT


def _figures(worse: Sequence[str], whose: str) -> str:
    return f"{len(worse)} figure{'' if len(worse) == 1 else 's'}{whose} {_is(len(worse))}"


def _first(worse: Sequence[str]) -> str:
    """The first of them; of more, how many."""
    more = [f"{len(worse) - MOST_NAMED} more"] if len(worse) > MOST_NAMED else []
    return _listed([*worse[:MOST_NAMED], *more])


def _lowest_step(runs: Sequence[ShownModel]) -> str:
    """How right outputs are at the mean step on the largest graphs of each run."""
    found = []
    for run in runs:
        size = max(run.scores["sizes"], key=int)
        if "mean_step" in run.scores["sizes"][size]:
            found.append((mean_and_std(run.scores["sizes"][size]["mean_step"])["mean"], int(size)))
    if not found:
        return "no accuracy was measured"
    low, high = (f"{each:.2f}" for each in (min(found)[0], max(found)[0]))
    sizes = _between(sorted({min(size for _, size in found), max(size for _, size in found)}))
    return (
        f"steps are {low if low == high else f'{low} to {high}'} % right on average, at {sizes} "
        "nodes"
    )


def _graphs_right(runs: Sequence[ShownModel]) -> Iterator[tuple[float, int, str]]:
    for run in runs:
        for size, scores in run.scores["sizes"].items():
            if "graphs_right" in scores:
                yield mean_and_std(scores["graphs_right"])["mean"], int(size), run.title


def _is_exact(run: ShownModel) -> bool:
    return run.model == "exact"


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _listed(words: Sequence[str]) -> str:
    """Words as a person lists them.

    >>> _listed(["bfs"]), _listed(["bfs", "dfs", "prim"])
    ('bfs', 'bfs, dfs and prim')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _between(numbers: Sequence[int]) -> str:
    return f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
