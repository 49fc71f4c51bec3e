"""Scores of a model on test graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import RenderableType

from algolens.data import fixed, held_out
from algolens.errors import AlgoLensError
from algolens.execution import Run
from algolens.experiment import TrainedRun, extract_all, run_scores
from algolens.front.model import Model
from algolens.front.shown import Shown
from algolens.models import Network
from algolens.reports import graphs_note, scores_table


@dataclass(frozen=True, eq=False, repr=False)
class Evaluated(Shown):
    """What ``model.evaluate`` gives: ``print`` shows the table, ``scores`` holds its numbers, in percent."""

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
        return f"Evaluated({self.scores['algorithm']}, {self.scores['preset']}, at {', '.join(self.scores['sizes'])} nodes)"


def evaluate(model: Model, sizes: Sequence[int], *, graphs: int | None = None, data_seed: int | None = None) -> Evaluated:
    """Scores a model on test graphs of these sizes, as ``algolens evaluate`` does."""
    for number in [*sizes, *filter(None.__ne__, (graphs,))]:
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise AlgoLensError(f"{number!r} is no number of nodes or graphs: give whole numbers from 1 on.")
    found, _ = score_run(model.trained_run, model.network, tuple(dict.fromkeys(sizes)), graphs=graphs, data_seed=data_seed)
    return Evaluated(found, model.trained_run.experiment.data_seed)


def score_run(
    trained: TrainedRun,
    network: Network,
    sizes: Sequence[int],
    *,
    graphs: int | None = None,
    data_seed: int | None = None,
    rules_only: bool = False,
) -> tuple[dict[str, Any], Mapping[int, Any]]:
    """The scores of a run, and the true traces that they were taken on. network: the run's, on the device that is to run it."""
    experiment = trained.experiment
    chosen = experiment.find_algorithm()
    recipe = replace(experiment.recipe, tested=graphs)
    seed = experiment.data_seed if data_seed is None else data_seed
    own = None if seed == experiment.data_seed else (experiment.data_seed, experiment.recipe)
    traces: Mapping[int, Sequence[Run] | Any] = held_out(chosen, sizes, seed, recipe, apart_from=own)
    programs = trained.programs
    if programs is None and experiment.architecture.bottleneck:
        programs = [extraction.program for extraction in extract_all(network, fixed(chosen, experiment.data_seed).train)]
    found = run_scores(experiment, network, traces, programs, rules_only=rules_only)
    found.pop("by_seed", None)
    found["test_graphs"] = {"data_seed": seed, "fresh": own is not None, "of_each_size": recipe.counts("test")}
    return found, traces
