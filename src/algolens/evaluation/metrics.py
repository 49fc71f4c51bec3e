"""Every number the paper measures, and some more: a row each of ``METRICS``.

All compare a run with the true trace of the same graphs, graph by graph; a figure of a set is the
mean over its graphs, so that it does not depend on how graphs are batched. Accuracies are fractions
here, and percentages where they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from msgspec import Meta, Struct, defstruct, field

from algolens.arrays import NUMPY
from algolens.engines import Run, perceive_truly
from algolens.evaluation.rightness import right_graphs
from algolens.graphs import At, Graph
from algolens.lazy import torch
from algolens.reading import Count, Name, Percent, Share, Subject, Word

if TYPE_CHECKING:
    from torch import Tensor

AT_ONCE = 2**22  # values that are averaged in one go


@dataclass(frozen=True, eq=False)
class Beside:
    """A run beside the true trace of the same graphs: what metrics compare."""

    run: Run
    truth: Run

    def over_elements(self, right: Tensor) -> Tensor:
        """[..., G] the share of each graph's elements of [..., N] that are right."""
        return per_graph(right, self.run.graph, self.run.algorithm.declaration.location)

    def over_steps(self, values: Tensor) -> Tensor:
        """[G] the mean of [T, G] over the steps that each graph took; 1 where it took none."""
        took = self.run.is_alive
        steps = took.sum(0)
        return torch.where(steps > 0, (values * took).sum(0) / steps.clamp(min=1), 1.0)

    @cached_property
    def last(self) -> Tensor:
        """[G] the share of elements whose final outputs are right."""
        finals = [self.run.final(name) == self.truth.final(name) for name in self.run.outputs]
        return self.over_elements(torch.stack(finals).all(0))

    @cached_property
    def true_concepts(self) -> dict[str, Tensor]:
        """[T, N] of each concept; none where the run has no concepts."""
        known = self.run.has_concepts
        return dict(_true_concepts(self.truth, self.run.num_steps)) if known else {}


def _mean_step(beside: Beside) -> Tensor:
    """Outputs right, over the elements and the steps the run took."""
    run, truth = beside.run, beside.truth
    right = [
        values.dense() == _prolonged(truth.outputs[name].dense(), run.num_steps)
        for name, values in run.outputs.items()
    ]
    return beside.over_steps(beside.over_elements(torch.stack(right).all(0)))


def _termination(beside: Beside) -> Tensor | None:
    """Go on or stop, right over the steps the run took; None where there is none to learn."""
    if not beside.run.algorithm.declaration.terminates:
        return None
    true = _prolonged(beside.truth.goes_on, beside.run.num_steps, after=False)
    return beside.over_steps((beside.run.goes_on == true).double())


def _concepts_mean_step(beside: Beside) -> dict[str, Tensor]:
    return {
        name: beside.over_steps(beside.over_elements(beside.run.concepts[name].dense() == true))
        for name, true in beside.true_concepts.items()
    }


def _concepts_last_step(beside: Beside) -> dict[str, Tensor]:
    """After a graph's end its values are held: the last row has each graph's own last step."""
    shares = {}
    for name in beside.true_concepts:
        seen, true = beside.run.concepts[name].dense(), beside.truth.concepts[name]
        right = seen[-1] == true[-1] if len(seen) else torch.ones_like(true.first)
        shares[name] = beside.over_elements(right)
    return shares


Shares: TypeAlias = (
    "Tensor | dict[str, Tensor] | None"  # [G] of graphs; one for each concept; none to measure
)


@dataclass(frozen=True)
class Metric:
    """A figure of runs: the mean of its shares over graphs."""

    name: str
    title: str  # in tables; without one, only files hold it
    compute: Callable[[Beside], Shares]
    selects: bool = False  # on validation, models are selected by the mean of these
    by_rules: bool = False  # of runs by rules, over the concepts that the network sees
    per_concept: str | None = None  # the name of the figures of single concepts


def _by_rules(metric: Metric, title: str = "") -> Metric:
    """The same of runs by rules."""
    name = f"formula_{metric.name}"
    return replace(metric, name=name, title=title, selects=False, by_rules=True)


_OUTPUTS = (
    Metric("mean_step", "mean-step", _mean_step, selects=True),
    Metric("last_step", "last-step", lambda beside: beside.last, selects=True),
    Metric("termination", "termination", _termination, selects=True),
)
_GRAPHS = (
    # graphs whose final outputs are right in every element
    Metric("graphs_right_last", "graphs right at the end", lambda beside: beside.last == 1),
    # graphs right in every field of every step, hints included
    Metric(
        "graphs_right",
        "graphs right in every step",
        lambda beside: right_graphs(beside.run, beside.truth),
    ),
)
# every figure there is, in the order of tables: a new one is a row here
METRICS = (
    *_OUTPUTS,
    *(_by_rules(metric, f"formula {metric.title}") for metric in _OUTPUTS),
    Metric(
        "concepts_mean_step",
        "concepts mean-step",
        _concepts_mean_step,
        selects=True,
        per_concept="per_concept_mean_step",
    ),
    Metric(
        "concepts_last_step",
        "concepts last-step",
        _concepts_last_step,
        selects=True,
        per_concept="per_concept_last_step",
    ),
    *_GRAPHS,
    *map(_by_rules, _GRAPHS),
)
TITLES = {metric.name: metric.title for metric in METRICS if metric.title}


def figures(kind: Any, spread: Any) -> Any:
    """A record with every metric as a field; kind: of a figure, which is None where there is none.

    ``spread`` has, by metric, the standard deviation over graphs.
    """
    per_concept = [metric.per_concept for metric in METRICS if metric.per_concept]
    return defstruct(
        "Figures",
        [
            ("graphs", Count),
            *((metric.name, kind | None, None) for metric in METRICS),
            *((name, dict[Name, kind], field(default_factory=dict)) for name in per_concept),
            ("spread", dict[Name, spread], field(default_factory=dict)),
        ],
        frozen=True,
        kw_only=True,
        omit_defaults=True,
        forbid_unknown_fields=True,
    )


class Scores(figures(Share, Share)):  # type: ignore[misc]
    """The scores of a run on a set of graphs, by the names of ``METRICS``."""

    def selection(self) -> float:
        """What a model is selected by, on validation: the mean of the accuracies that are there."""
        parts = [getattr(self, metric.name) for metric in METRICS if metric.selects]
        return fmean(part for part in parts if part is not None)


# at most so many networks side by side, in the order of their seeds
Seeds = Annotated[tuple[Count, ...], Meta(min_length=1, max_length=10_000)]


TestSet = Annotated[str, Meta(pattern=r"^(?:given|[1-9][0-9]{0,8})$")]  # by the number of nodes


class MeanAndStd(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of several seeds, in percent."""

    mean: Percent
    std: Percent

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.std:.2f}"


Measure = Percent | MeanAndStd


class SizeScores(figures(Measure, Percent)):  # type: ignore[misc]
    """What was measured on a test set, by the names of ``METRICS``."""

    def figure(self, metric: str) -> MeanAndStd | None:
        """A figure by its name; of one seed, without deviation."""
        figure = getattr(self, metric)
        return MeanAndStd(figure, 0.0) if isinstance(figure, float) else figure


class TestGraphs(Struct, frozen=True, forbid_unknown_fields=True):
    """Which graphs scores were measured on."""

    __test__ = False  # no test of pytest's

    data_seed: Count
    fresh: bool = False
    of_each_size: dict[Word, Count] = field(default_factory=dict)


class ScoresRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What scores.json and scores-fresh.json hold."""

    algorithm: Word
    preset: Word
    seeds: Seeds
    sizes: Annotated[dict[TestSet, SizeScores], Meta(min_length=1)]
    about: Subject = field(default_factory=dict)
    by_seed: dict[TestSet, list[Scores]] = field(default_factory=dict)
    given: list[Name] = field(default_factory=list)
    test_graphs: TestGraphs | None = None
    by: Word | None = None

    def __post_init__(self) -> None:
        for size, scores in self.by_seed.items():
            if len(scores) != len(self.seeds):
                raise ValueError(
                    f"by_seed has {len(scores)} scores at {size} for {len(self.seeds)} seeds"
                )


def score(run: Run, truth: Run, *, by_rules: bool = False) -> Scores:
    """Score a run.

    Parameters
    ----------
    run : Run
        A run of a network, or by rules.
    truth : Run
        The true trace of the same graphs.
    by_rules : bool
        Gives the metrics of runs by rules, under their own names.

    Returns
    -------
    Scores
        Means over the graphs, as fractions.
    """
    return mean_scores([shares(run, truth, by_rules=by_rules)])


def shares(run: Run, truth: Run, *, by_rules: bool = False) -> dict[str, dict[str, Tensor]]:
    """[G] of every metric by its name: of each concept, or under "" of the run as a whole."""
    devices = (each.graph.device for each in (run, truth))
    device = next((each for each in devices if each != NUMPY), "cpu")
    beside, measured = Beside(run.to(device), truth.to(device)), {}
    for metric in METRICS:
        computed = metric.compute(beside) if metric.by_rules == by_rules else None
        if computed is not None:
            of_metric = computed if isinstance(computed, dict) else {"": computed}
            measured[metric.name] = {name: each.double() for name, each in of_metric.items()}
    return measured


def mean_scores(portions: Sequence[Mapping[str, Mapping[str, Tensor]]]) -> Scores:
    """The scores of all graphs, from the ``shares`` of portions of them."""
    means: dict[str, Any] = {}
    spread, graphs = {}, 0
    for metric in METRICS:
        of_metric = {
            name: torch.cat([portion[metric.name][name] for portion in portions])
            for name in portions[0].get(metric.name, ())
        }
        if metric.per_concept and metric.name in portions[0]:
            means[metric.per_concept] = {
                name: float(each.mean()) for name, each in of_metric.items()
            }
        if of_metric:
            of_graphs = torch.stack(list(of_metric.values())).mean(0)
            means[metric.name] = float(of_graphs.mean())
            spread[metric.name] = float(of_graphs.std(correction=0))
            graphs = len(of_graphs)
    return Scores(graphs=graphs, spread=spread, **means)


def per_graph(values: Tensor, graph: Graph, location: At) -> Tensor:
    """[..., G] the mean of values [..., N] over each graph's elements; 1 where it has none."""
    owner = graph.owner(location)
    rows = values.flatten(0, -2) if values.dim() > 1 else values[None]
    sums = torch.zeros(len(rows), graph.num_graphs, dtype=torch.float64, device=values.device)
    # some rows at a time: in double precision, all steps of a long run on a large graph would fill
    # the memory
    at_once = max(1, AT_ONCE // max(rows.shape[1], 1))
    for part, total in zip(rows.split(at_once), sums.split(at_once), strict=True):
        total.index_add_(-1, owner, part.double())
    sums = sums.view(*values.shape[:-1], graph.num_graphs)
    counts = graph.counts(location)
    return torch.where(counts > 0, sums / counts.clamp(min=1), 1.0)


def _prolonged(values: Tensor, steps: int, *, after: bool | None = None) -> Tensor:
    """[steps, ...] the trace as if it went on so long: its last row again, or a value."""
    if len(values) >= steps:
        return values[:steps]
    more = values[-1:].expand(steps - len(values), *values.shape[1:])
    return torch.cat([values, more if after is None else torch.full_like(more, after)])


def _true_concepts(truth: Run, steps: int) -> Iterator[tuple[str, Tensor]]:
    """Each true concept, [steps, N]; after a graph's end, that of its final state."""
    declaration = truth.algorithm.declaration
    final = {name: truth.final(name) for name in declaration.state}
    resting = perceive_truly(truth.algorithm)(truth.graph, truth.inputs, final, None).concepts
    lengths = truth.lengths[truth.graph.owner(declaration.location)]
    ended = torch.arange(steps, device=lengths.device)[:, None] >= lengths
    for (name, over_time), at_rest in zip(truth.concepts.items(), resting.unbind(1), strict=True):
        yield name, torch.where(ended, at_rest, _prolonged(over_time.dense(), steps))
