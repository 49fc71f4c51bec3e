"""Scores of a model on test graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import RenderableType

from algolens.data import held_out
from algolens.errors import AlgoLensError
from algolens.experiment import TrainedModel, extract_all, model_scores
from algolens.front.display import Shown
from algolens.front.model import Model
from algolens.models import Network
from algolens.terminal.scores import graphs_note, scores_table


@dataclass(frozen=True, eq=False, repr=False)
class Evaluated(Shown):
    """What ``model.evaluate`` gives: ``print`` shows the table, ``scores`` holds its numbers, in
    percent.
    """

    scores: dict[str, Any]
    own_seed: int  # of the model's own sets

    def __getitem__(self, size: int) -> dict[str, Any]:
        """The scores at a size."""
        sizes = self.scores["sizes"]
        if str(size) not in sizes:
            raise AlgoLensError(f"it was not scored at {size} nodes, but at {', '.join(sizes)}.")
        return dict(sizes[str(size)])

    def parts(self) -> Iterator[RenderableType]:
        yield scores_table(self.scores)
        yield graphs_note(self.scores["test_graphs"], self.own_seed)

    def __repr__(self) -> str:
        return (
            f"Evaluated({self.scores['algorithm']}, {self.scores['preset']}, at "
            f"{', '.join(self.scores['sizes'])} nodes)"
        )


def evaluate(
    model: Model, sizes: Sequence[int], *, graphs: int | None = None, data_seed: int | None = None
) -> Evaluated:
    """Scores a model on test graphs of these sizes, as ``algolens evaluate`` does."""
    for number in [*sizes, *([] if graphs is None else [graphs])]:
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise AlgoLensError(
                f"{number!r} is no number of nodes or graphs: give whole numbers from 1 on."
            )
    sets = TestSets.of(model.trained_run, tuple(dict.fromkeys(sizes)), graphs, data_seed)
    return Evaluated(
        score_run(model.trained_run, model.network, sets), model.trained_run.experiment.data_seed
    )


@dataclass(frozen=True, eq=False)
class TestSets:
    """True traces of test graphs, by their number of nodes; and which graphs these are."""

    __test__ = False  # no test of pytest's

    traces: Mapping[int, Any]
    graphs: Mapping[str, Any]

    @classmethod
    def of(
        cls, trained: TrainedModel, sizes: Sequence[int], graphs: int | None, data_seed: int | None
    ) -> TestSets:
        """Graphs of a run's own data seed, or of another, then in none of its sets. graphs: of each
        size, if not as usual.
        """
        experiment = trained.experiment
        recipe = replace(experiment.recipe, tested=graphs)
        seed = experiment.data_seed if data_seed is None else data_seed
        own = None if seed == experiment.data_seed else (experiment.data_seed, experiment.recipe)
        traces = held_out(experiment.find_algorithm(), sizes, seed, recipe, apart_from=own)
        return cls(
            traces,
            {"data_seed": seed, "fresh": own is not None, "of_each_size": recipe.counts("test")},
        )


def score_run(
    trained: TrainedModel,
    network: Network,
    sets: TestSets,
    *,
    rules_only: bool = False,
    done: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """The scores of a run. network: the run's, on the device that is to run it. done: called after
    each size.
    """
    experiment = trained.experiment
    rule_sets = trained.rule_sets
    if rule_sets is None and experiment.architecture.bottleneck:
        truth = experiment.data(tests=False).train
        rule_sets = [extraction.rule_set for extraction in extract_all(network, truth)]
    found: dict[str, Any] = {}
    for size, parts in sets.traces.items():
        at_size = model_scores(experiment, network, {size: parts}, rule_sets, rules_only=rules_only)
        found = {**at_size, "sizes": {**found.get("sizes", {}), **at_size["sizes"]}}
        done()
    found.pop("by_seed", None)
    return {**found, "test_graphs": sets.graphs}
