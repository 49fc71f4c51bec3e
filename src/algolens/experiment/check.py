"""Whether an experiment can be carried out, and what else learns its algorithm where it cannot."""

from __future__ import annotations

from dataclasses import replace

from algolens.algorithms import Algorithm
from algolens.certification import check_proof
from algolens.errors import AlgoLensError, ContractError, UnknownNameError
from algolens.experiment.config import Experiment
from algolens.experiment.presets import preset
from algolens.models import Network
from algolens.models.network import check_architecture
from algolens.protocol import PRESETS


def check_experiment(experiment: Experiment) -> None:
    """Raises an error where an experiment cannot be carried out, before anything is drawn or
    trained, and says what can be.
    """
    wrong = training_objection(experiment)
    if wrong is not None:
        raise ContractError(f"{wrong} {_advice(experiment, wrong)}")
    # a network of one seed is built, so that a processor that there is not, or that cannot be made,
    # is named by now
    Network(experiment.find_algorithm(), experiment.architecture, experiment.seeds[:1])
    _check_weights(experiment)


def training_objection(experiment: Experiment) -> str | None:
    """What keeps the network from learning the algorithm, or its proof from being tried; None where
    nothing does.
    """
    algorithm = experiment.find_algorithm()
    try:
        check_architecture(algorithm, experiment.architecture)
        check_proof(algorithm, experiment.architecture)
    except ContractError as problem:
        return str(problem)
    return None


def _check_weights(experiment: Experiment) -> None:
    """Whether the schedule weighs concepts and hints that there are."""
    declaration, schedule = experiment.find_algorithm().declaration, experiment.schedule
    for name in schedule.concept_weights:
        if name not in declaration.concepts:
            raise UnknownNameError(f"concept of {experiment.algorithm}", name, declaration.concepts)
    for name, weights in schedule.hint_weights.items():
        if name not in declaration.hints:
            raise UnknownNameError(f"hint of {experiment.algorithm}", name, declaration.hints)
        labels = declaration.hints[name].kind.labels
        if set(weights) != set(labels):
            came, wanted = (
                ", ".join(weights) or "none",
                ", ".join(labels) or "none, for it has no classes",
            )
            raise AlgoLensError(
                f"'hint_weights' of the schedule has for '{name}' the classes {came}: give "
                f"{wanted}."
            )


def objections(algorithm: Algorithm, given: tuple[str, ...] = ()) -> dict[str, str | None]:
    """Every preset that there is for an algorithm, and what keeps it from learning that; None where
    nothing does.

    given: concepts that are to be given, where not those of the preset.
    """
    found = {}
    for name in PRESETS:
        try:
            made = preset(name, algorithm)
        except AlgoLensError:
            continue  # there is no such preset for this algorithm
        found[name] = training_objection(
            replace(
                made,
                architecture=replace(made.architecture, given=given or made.architecture.given),
            )
        )
    return found


def _advice(experiment: Experiment, wrong: str) -> str:
    """What learns the algorithm, or that nothing does and why."""
    algorithm, given = experiment.find_algorithm(), experiment.architecture.given
    found = objections(algorithm, given)
    settings = [f"{name}={value}" for name, value in experiment.options.items()] + [
        f"{name} given" for name in given
    ]
    what = " with ".join(filter(None, [algorithm.name, ", ".join(settings)]))
    learning = [name for name, problem in found.items() if problem is None]
    if learning:
        own = ", with its own processor" if experiment.preset in learning else ""
        return f"What learns {what}: the preset {_either(learning)}{own}."
    reasons: dict[str, list[str]] = {}
    for name, problem in found.items():
        if problem is not None and problem != wrong:
            reasons.setdefault(problem.rstrip("."), []).append(name)
    others = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    without = (
        [name for name, problem in objections(algorithm).items() if problem is None]
        if given
        else []
    )
    instead = f" With nothing given: the preset {_either(without)}." if without else ""
    return f"No preset learns {what}{f' ({others})' if others else ''}.{instead}"


def _either(names: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
