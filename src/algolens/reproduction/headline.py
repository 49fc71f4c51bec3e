"""What a report says first: a headline, what was run, what came out and what falls short."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from algolens.data.own_sets import GIVEN
from algolens.evaluation import TITLES
from algolens.reports.material import (
    MODEL_TITLES,
    Material,
    ShownModel,
    in_order,
    nodes_in_words,
)
from algolens.reproduction.accuracies import Compared, compared_with_published
from algolens.reproduction.significance import BETTER, EQUAL, WORSE
from algolens.terminal.outcome import count_in_words

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
    def answers(self) -> dict[str, str]:
        """The three sentences, by what each is about."""
        return {
            "What was run": self.run,
            "What came out": self.found,
            "What falls short": self.short,
        }


@dataclass(frozen=True)
class Standing:
    """How figures stand to the published ones; those that cannot be compared are left out."""

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
    own, literal = (beside_published(compared, literal=which) for which in (False, True))
    certified, of_seeds = seeds_certified(material.runs)
    if own.count:
        title = f"Of {own.count} published figures, {own.in_words}"
    elif certified == of_seeds and all(run.model == "exact" for run in material.runs):
        title = f"{_listed(material.all_algorithms)}: proven right on every graph"
    else:
        title = f"{_listed(material.all_algorithms)}: {_lowest_step(material.runs)}"
    came_out = list(_came_out(material.runs, own, literal, len(compared)))
    falls_short = list(_falls_short(material.runs, own, literal))
    return Headline(
        title,
        _what_was_run(material.runs),
        _sentence(came_out),
        _sentence(falls_short) if falls_short else NOTHING_SHORT,
    )


def beside_published(compared: Compared, *, literal: bool) -> Standing:
    """Every figure that the paper has of the same network.

    literal: those of networks trained as in the paper, instead of those of our own presets.
    """
    # the largest difference first
    chosen = sorted(
        (item for item in compared.items() if (item[0][0].model == "literal") == literal),
        key=lambda item: item[1].difference,
    )
    marks = [figure.mark for _, figure in chosen]
    worse, worse_alone = [], []
    for (run, metric, size), figure in chosen:
        ours = _mean(run, size, metric)
        assert ours is not None  # it was compared
        words = (
            f"{run.title}, {TITLES[metric]} at {size} nodes ({ours:.2f}, published "
            f"{ours - figure.difference:.2f})"
        )
        if figure.mark == WORSE:
            worse.append(words)
        elif figure.alone.mark == WORSE:
            worse_alone.append(words)
    return Standing(marks.count(BETTER), marks.count(EQUAL), tuple(worse), tuple(worse_alone))


def seeds_certified(runs: Sequence[ShownModel]) -> tuple[int, int]:
    """How many seeds of exact networks are proven right, and how many there are."""
    exact = [run for run in runs if run.model == "exact"]
    proven = sum(certificate.proven for run in exact for certificate in run.certificates)
    return proven, sum(len(run.scores.seeds) for run in exact)


def rules_true(runs: Sequence[ShownModel]) -> tuple[int, int]:
    """How many seeds have true rules on every pattern that occurs, and of how many it is known."""
    studies = [run.study for run in runs if run.study is not None]
    verdicts = [verdict for study in studies for verdict in study.verdicts]
    return sum(verdict.equal_on_seen for verdict in verdicts), len(verdicts)


def _mean(run: ShownModel, size: str, metric: str) -> float | None:
    """A mean of a run; None where there is none."""
    scores = run.scores.sizes.get(size)
    figure = None if scores is None else scores.figure(metric)
    return None if figure is None else figure.mean


def _what_was_run(runs: Sequence[ShownModel]) -> str:
    seeds = sorted({len(run.scores.seeds) for run in runs})
    tests = {size for run in runs for size in run.scores.sizes}
    algorithms = list(dict.fromkeys(run.algorithm for run in runs))
    kinds = list(dict.fromkeys(MODEL_TITLES.get(run.model, run.model) for run in runs))
    return (
        f"{count_in_words(len(runs), 'run')} of {_listed(algorithms)} ({'; '.join(kinds)}), "
        f"{_between(seeds)} {'seed' if seeds[-1] == 1 else 'seeds'}"
        f"{' each' if len(runs) > 1 else ''}, tested on graphs of "
        f"{_sizes(tests)} that training had not seen."
    )


def _came_out(
    runs: Sequence[ShownModel], own: Standing, literal: Standing, comparisons: int
) -> Iterator[str]:
    if own.count:
        yield (
            f"of {own.count} published figures, {own.in_words} (at 5 % for all "
            f"{comparisons} comparisons together, by Holm's procedure)"
        )
    if literal.count:
        yield f"trained as in the paper, of {literal.count}, {literal.in_words}"
    certified, of_seeds = seeds_certified(runs)
    if of_seeds:
        yield (
            f"{certified} of {count_in_words(of_seeds, 'exact network')} {_is(of_seeds)} proven "
            "right on every graph"
        )
    true, of_rules = rules_true(runs)
    if of_rules:
        yield (
            f"the rules of {true} of {count_in_words(of_rules, 'seed')} are the true ones on every "
            "pattern that occurs"
        )
    yield _lowest_step(runs)


def _falls_short(runs: Sequence[ShownModel], own: Standing, literal: Standing) -> Iterator[str]:
    for standing, whose in ((own, ""), (literal, ", trained as in the paper,")):
        for worse, how in (
            (standing.worse, "significantly worse than published"),
            (standing.worse_alone, "worse if each is compared alone, at 5 %"),
        ):
            if worse:
                figures = f"{count_in_words(len(worse), 'figure')}{whose} {_is(len(worse))}"
                left = len(worse) - MOST_NAMED
                named = [*worse[:MOST_NAMED], *([f"{left} more"] if left > 0 else [])]
                yield f"{figures} {how}: {_listed(named)}"
    certified, of_seeds = seeds_certified(runs)
    if certified < of_seeds:
        networks = count_in_words(of_seeds, "exact network")
        yield f"{of_seeds - certified} of {networks} {_is(of_seeds - certified)} not proven"
    true, of_rules = rules_true(runs)
    if true < of_rules:
        differing = [run.title for run in runs if rules_true([run])[0] < rules_true([run])[1]]
        yield (
            f"the rules of {of_rules - true} of {count_in_words(of_rules, 'seed')} are not the "
            f"true ones ({_listed(differing)})"
        )
    right = [  # the smallest graphs first
        (mean, size, run.title)
        for size in in_order({size for run in runs for size in run.scores.sizes})
        for run in sorted(runs, key=lambda run: run.title)
        if (mean := _mean(run, size, "graphs_right")) is not None
    ]
    percent, size, title = min(right, key=lambda one: one[0], default=(100.0, "", ""))
    if percent < 100:
        yield (
            f"fewest graphs are right in every step with {title}: {percent:.2f} % of those "
            f"of {_sizes([size])}"
        )
    departing = sorted(len(run.departures) for run in runs if run.departures)
    if departing:
        points = "1 point" if departing[-1] == 1 else f"{_between(departing)} points"
        verb = "departs" if len(departing) == 1 else "depart"
        yield f"{count_in_words(len(departing), 'run')} {verb} from the paper in {points}"


def _lowest_step(runs: Sequence[ShownModel]) -> str:
    """How right outputs are at the mean step on the largest graphs of each model."""
    steps, tests = [], []
    for run in runs:
        size = in_order(run.scores.sizes)[-1]
        if (mean := _mean(run, size, "mean_step")) is not None:
            steps.append(mean)
            tests.append(size)
    if not steps:
        return "no accuracy was measured"
    percents = dict.fromkeys(f"{percent:.2f}" for percent in (min(steps), max(steps)))
    return f"steps are {' to '.join(percents)} % right on average, at {_sizes(tests, _ends)}"


def _sizes(tests: Iterable[str], listed: Callable[[list[str]], str] | None = None) -> str:
    """Of test sets, how many nodes their graphs have."""
    ordered = in_order(tests)
    numbers = [f"{int(size):,}" for size in ordered if size != GIVEN]
    words = [f"{(listed or _listed)(numbers)} nodes"] if numbers else []
    return " and ".join([*words, *map(nodes_in_words, ordered[len(numbers) :])])


def _ends(words: Sequence[str]) -> str:
    """The first and the last of sorted words."""
    return " to ".join(dict.fromkeys((words[0], words[-1])))


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
    """The first and the last of sorted numbers."""
    return _ends([f"{number:,}" for number in numbers])


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
