"""What a report says first: a headline, what was run, what came out and what falls short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from algolens.data.datasets import GIVEN
from algolens.evaluation import TITLES
from algolens.reports.material import Material, ShownModel, in_order
from algolens.reproduction.accuracies import Accuracy, accuracies
from algolens.reproduction.significance import BETTER, EQUAL, UNKNOWN, WORSE, ComparedFigure
from algolens.text.outcome import count_in_words

MOST_NAMED = 3  # of what falls short; of more, their number
Compared = Sequence[tuple[Accuracy, ComparedFigure]]


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


def headline(material: Material) -> Headline:
    """Computed from the runs of a report alone."""
    runs, names = material.runs, _listed(material.algorithms)
    compared = [(each, each.compared) for each in accuracies(material.learnt) if each.compared]
    known = [pair for pair in compared if pair[1].mark != UNKNOWN]
    own = [pair for pair in known if pair[0].run.model != "literal"]
    literal = [pair for pair in known if pair[0].run.model == "literal"]
    certified, of_seeds = seeds_certified(runs)
    true, of_rules = rules_true(runs)
    found, short = list[str](), list[str]()
    if own:
        title = f"Of {len(own)} published figures, {_marked(own)}"
        found.append(
            f"of {len(own)} published figures, {_marked(own)} (at 5 % for all {len(compared)} "
            "comparisons together, by Holm's procedure)"
        )
    elif certified == of_seeds and all(run.model == "exact" for run in runs):
        title = f"{names}: proven right on every graph"
    else:
        title = f"{names}: {_lowest_step(runs)}"
    if literal:
        found.append(f"trained as in the paper, of {len(literal)}, {_marked(literal)}")
    short += _worse(own, "")
    short += _worse(literal, ", trained as in the paper,")
    networks, seeds = (
        count_in_words(of_seeds, "exact network"),
        count_in_words(of_rules, "seed"),
    )
    if of_seeds:
        found.append(f"{certified} of {networks} {_is(of_seeds)} proven right on every graph")
    if wrong := of_seeds - certified:
        short.append(f"{wrong} of {networks} {_is(wrong)} not proven")
    if of_rules:
        on = "on every pattern that occurs"
        found.append(f"the rules of {true} of {seeds} are the true ones {on}")
    if wrong := of_rules - true:
        differing = [run.title for run in runs if rules_true([run])[0] < rules_true([run])[1]]
        ones = f"the true ones ({_listed(differing)})"
        short.append(f"the rules of {wrong} of {seeds} are not {ones}")
    short += _limits(runs)
    return Headline(
        title,
        _what_was_run(runs, names),
        _sentence([*found, _lowest_step(runs)]),
        _sentence(short or ["of all that was measured, nothing falls short"]),
    )


def _marked(compared: Compared) -> str:
    """How many figures are better than the published ones, how many alike, how many worse."""
    marks = [beside.mark for _, beside in compared]
    return (
        f"{marks.count(BETTER)} significantly better, {marks.count(EQUAL)} statistically "
        f"indistinguishable, {marks.count(WORSE)} significantly worse"
    )


def seeds_certified(runs: Sequence[ShownModel]) -> tuple[int, int]:
    """How many seeds of exact networks are proven right, and how many there are."""
    exact = [run for run in runs if run.model == "exact"]
    proven = sum(certificate.proven for run in exact for certificate in run.certificates)
    return proven, sum(len(run.scores.seeds) for run in exact)


def rules_true(runs: Sequence[ShownModel]) -> tuple[int, int]:
    """How many seeds have true rules on every pattern that occurs, and of how many it is known."""
    verdicts = [verdict for run in runs if run.study for verdict in run.study.verdicts]
    return sum(verdict.equal_on_seen for verdict in verdicts), len(verdicts)


def _what_was_run(runs: Sequence[ShownModel], names: str) -> str:
    seeds = sorted({len(run.scores.seeds) for run in runs})
    tests = {size for run in runs for size in run.scores.sizes}
    kinds = "; ".join(dict.fromkeys(run.kind for run in runs))
    return (
        f"{count_in_words(len(runs), 'run')} of {names} ({kinds}), {_ends(seeds)} "
        f"{'seed' if seeds[-1] == 1 else 'seeds'}{' each' if len(runs) > 1 else ''}, tested on "
        f"graphs of {_sizes(tests)} that training had not seen."
    )


def _worse(compared: Compared, whose: str) -> Iterator[str]:
    """The figures that are worse than published, together or alone, the worst ones named."""
    alone = [pair for pair in compared if pair[1].alone.mark == WORSE != pair[1].mark]
    for pairs, how in (
        ([p for p in compared if p[1].mark == WORSE], "significantly worse than published"),
        (alone, "worse if each is compared alone, at 5 %"),
    ):
        named = [
            f"{each.run.title}, {TITLES[each.metric]} at {each.size} nodes ({each.ours.mean:.2f}, "
            f"published {each.ours.mean - beside.difference:.2f})"
            for each, beside in sorted(pairs, key=lambda pair: pair[1].difference)
        ]
        if len(named) > MOST_NAMED:
            named[MOST_NAMED:] = [f"{len(named) - MOST_NAMED} more"]
        if named:
            figures = count_in_words(len(pairs), "figure")
            yield f"{figures}{whose} {_is(len(pairs))} {how}: {_listed(named)}"


def _limits(runs: Sequence[ShownModel]) -> Iterator[str]:
    """Where fewest graphs are right, and how far runs depart from the paper."""
    right = [
        (figure.mean, in_order([size]), run.title)
        for size in in_order({size for run in runs for size in run.scores.sizes})
        for run in sorted(runs, key=lambda run: run.title)
        if size in run.scores.sizes and (figure := run.scores.sizes[size].figure("graphs_right"))
    ]
    percent, sizes, title = min(right, key=lambda one: one[0], default=(100.0, [], ""))
    if percent < 100:
        yield (
            f"fewest graphs are right in every step with {title}: {percent:.2f} % of those "
            f"of {_sizes(sizes)}"
        )
    departing = sorted(len(run.departures) for run in runs if run.departures)
    if departing:
        points = "1 point" if departing[-1] == 1 else f"{_ends(departing)} points"
        verb = "departs" if len(departing) == 1 else "depart"
        yield f"{count_in_words(len(departing), 'run')} {verb} from the paper in {points}"


def _lowest_step(runs: Sequence[ShownModel]) -> str:
    """How right outputs are at the mean step on the largest graphs of each model."""
    largest = [(run.scores.sizes, in_order(run.scores.sizes)[-1]) for run in runs]
    steps = [
        (figure.mean, size)
        for sizes, size in largest
        if (figure := sizes[size].figure("mean_step")) is not None
    ]
    if not steps:
        return "no accuracy was measured"
    percents = _ends([f"{percent:.2f}" for percent, _ in sorted(steps)])
    return f"steps are {percents} % right on average, at {_sizes({size for _, size in steps})}"


def _sizes(tests: Iterable[str]) -> str:
    """Of test sets, how many nodes their graphs have."""
    sizes = [f"{int(size):,}" for size in in_order(tests) if size != GIVEN]
    given = ["sizes as given"] if GIVEN in tests else []
    return " and ".join([*([f"{_listed(sizes)} nodes"] if sizes else []), *given])


def _ends(values: Sequence[object]) -> str:
    """The first and the last of sorted values."""
    return " to ".join(dict.fromkeys((str(values[0]), str(values[-1]))))


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _listed(words: Sequence[str]) -> str:
    """Words as a person lists them.

    >>> _listed(["bfs"]), _listed(["bfs", "dfs", "prim"])
    ('bfs', 'bfs, dfs and prim')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
