"""The scores of a run on test sets: of its networks, and of the rules in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from algolens.evaluation import formula_summary, score_network, seeds_summary
from algolens.execution import Run
from algolens.experiment.config import Experiment
from algolens.logic.rule_set import RuleSet
from algolens.models import Network


def model_scores(
    experiment: Experiment,
    network: Network,
    tests: Mapping[int, Run | Iterable[Run]],
    rule_sets: Sequence[RuleSet] | None,
    *,
    rules_only: bool = False,
) -> dict[str, Any]:
    """What scores.json holds. programs: of each seed, None where there are none; rules_only:
    nothing of the networks alone.
    """
    sizes: dict[str, dict[str, Any]] = {str(size): {} for size in tests}
    by_seed: dict[str, Any] = {}
    if not rules_only:
        scores = score_network(network, tests)
        sizes = seeds_summary(scores)
        by_seed = {str(size): [asdict(each) for each in seeds] for size, seeds in scores.items()}
    if rule_sets is not None:
        found = formula_summary(score_network(network, tests, rule_sets))
        sizes = {
            size: values
            | found[size]
            | {"spread": values.get("spread", {}) | found[size]["spread"]}
            for size, values in sizes.items()
        }
    return {
        "algorithm": experiment.algorithm,
        "preset": experiment.preset,
        "seeds": list(experiment.seeds),
        **({"given": list(experiment.architecture.given)} if experiment.architecture.given else {}),
        "sizes": sizes,
        **({"by_seed": by_seed} if by_seed else {}),
    }
