"""What is measured of a model: its scores, and where it errs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import to_builtins

from algolens.data import held_out
from algolens.engines import Run
from algolens.evaluation import (
    first_mistakes,
    free_run,
    score_network,
    seeds_summary,
)
from algolens.experiment.config import Experiment
from algolens.experiment.model import Model, extract_all
from algolens.graphs.random import family_name
from algolens.logic.rule_set import RuleSet
from algolens.models import Network


def model_scores(
    experiment: Experiment,
    network: Network,
    tests: Mapping[Any, Run | Iterable[Run]],
    rule_sets: Sequence[RuleSet] | None,
    *,
    rules_only: bool = False,
) -> dict[str, Any]:
    """What scores.json holds.

    Parameters
    ----------
    experiment, network
        What was trained, and the networks of all its seeds.
    tests : mapping
        True traces, by the number of nodes.
    rule_sets : sequence of RuleSet, optional
        Of each seed; None where there are none.
    rules_only : bool
        Leaves out the scores of the networks themselves.
    """
    scored = [] if rules_only else [score_network(network, tests)]
    by_seed = {str(size): to_builtins(seeds) for part in scored for size, seeds in part.items()}
    if rule_sets is not None:
        scored.append(score_network(network, tests, rule_sets))
    sizes: dict[str, dict[str, Any]] = {str(size): {} for size in tests}
    for summary in map(seeds_summary, scored):
        for size, values in summary.items():
            spread = sizes[size].get("spread", {}) | values["spread"]
            sizes[size] |= {**values, "spread": spread}
    return {
        "algorithm": experiment.algorithm,
        "preset": experiment.preset,
        "seeds": list(experiment.seeds),
        **({"given": list(experiment.architecture.given)} if experiment.architecture.given else {}),
        "sizes": sizes,
        **({"by_seed": by_seed} if by_seed else {}),
    }


@dataclass(frozen=True, eq=False)
class TestSets:
    """True traces of test graphs, by their number of nodes or a word; and which graphs."""

    __test__ = False  # no test of pytest's

    traces: Mapping[Any, Any]
    graphs: Mapping[str, Any]

    @classmethod
    def of(
        cls, experiment: Experiment, sizes: Sequence[int], graphs: int | None, data_seed: int | None
    ) -> TestSets:
        """Graphs of the experiment's data seed, or of another: then in none of its sets."""
        recipe = replace(experiment.recipe, tested=graphs)
        seed = experiment.data_seed if data_seed is None else data_seed
        own = None if seed == experiment.data_seed else (experiment.data_seed, experiment.recipe)
        traces = held_out(experiment.find_algorithm(), sizes, seed, recipe, apart_from=own)
        counts = {family_name(one): count for one, count in recipe.counts("test").items()}
        return cls(traces, {"data_seed": seed, "fresh": own is not None, "of_each_size": counts})

    def score(
        self,
        trained: Model,
        network: Network,
        *,
        rules_only: bool = False,
        done: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        """The scores of a model's network, on the device where it is; done: called at each size."""
        experiment, rule_sets = trained.experiment, trained.rule_sets
        if rule_sets is None and experiment.architecture.bottleneck:
            extractions = extract_all(network, experiment.data(tests=False).train)
            rule_sets = [extraction.rule_set for extraction in extractions]
        scores: dict[str, Any] = {"sizes": {}}
        for size, parts in self.traces.items():
            at_size = model_scores(
                experiment, network, {size: parts}, rule_sets, rules_only=rules_only
            )
            scores = {**at_size, "sizes": {**scores["sizes"], **at_size["sizes"]}}
            done()
        scores.pop("by_seed", None)
        return {**scores, "test_graphs": self.graphs}

    def mistakes(self, network: Network) -> dict[str, list[dict[str, Any]]]:
        """By size, for each seed how many graphs it gets wrong, and the first mistakes on some."""
        return {str(size): _mistakes(network, traces) for size, traces in self.traces.items()}


def _mistakes(network: Network, traces: Iterable[Run]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = [
        {"seed": seed, "graphs_wrong": 0, "mistakes": []} for seed in network.seeds
    ]
    for trace in traces:
        truth = trace.to(network.device)
        for place, entry in enumerate(entries):
            count, first = first_mistakes(free_run(network.only(place), truth), truth)
            shown = [*entry["mistakes"], *(mistake.to_json() for mistake in first)]
            entry["graphs_wrong"] += count
            entry["mistakes"] = shown[:MOST_MISTAKES]
    return entries


MOST_MISTAKES = 10  # shown, of a seed at a size
