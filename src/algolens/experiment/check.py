"""An experiment put together and checked before any training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from torch import nn

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, ContractError, UnknownNameError, brief
from algolens.experiment.config import Experiment, own_network, preset
from algolens.models import Network, add_processor
from algolens.models.network import check_architecture
from algolens.proofs import check_proof
from algolens.protocol import DEFAULT_PRESET, PRESETS
from algolens.training import Schedule

NETWORK_SETTINGS = ("width", "processor", "self_loops", "given")


def make_experiment(
    algorithm: Algorithm,
    name: str = DEFAULT_PRESET,
    *,
    seeds: Sequence[int] = (0,),
    network: str | type[nn.Module] | None = None,
    data_seed: int = 0,
    **settings: Any,
) -> Experiment:
    """A preset's experiment with other settings, checked before anything is drawn or trained.

    Parameters
    ----------
    algorithm : Algorithm
        What is to be learnt, with its options.
    name : str
        The preset.
    seeds : sequence of int
        Of the networks' first weights.
    network : str or type of nn.Module, optional
        A network of the user's own, in the place of a preset's.
    data_seed : int
        Of the data sets.
    **settings
        Of the network (``NETWORK_SETTINGS``) and of the schedule, by name; None: as in the preset.
        With other epochs, the pruning epoch moves along.

    Raises
    ------
    AlgoLensError
        Where a setting is unknown or makes no sense, or where the network cannot learn it.
    """
    parts = {name: settings.pop(name, None) for name in NETWORK_SETTINGS}
    parts = {name: value for name, value in parts.items() if value is not None}
    if not isinstance(parts.get("self_loops", True), bool):
        raise AlgoLensError(f"self_loops is {brief(parts['self_loops'])}: give true or false.")
    if network is not None:
        if name != DEFAULT_PRESET or parts.keys() & {"processor", "self_loops"}:
            raise AlgoLensError(
                "a network of your own comes in the place of a preset's: give no preset, no "
                "processor and no self-loops beside it."
            )
        experiment = own_network(network, algorithm)
    else:
        experiment = preset(name, algorithm)
    if "processor" in parts:
        if name == "exact":
            raise AlgoLensError(
                "the preset 'exact' has a network of its own, which can be proven: give no "
                "processor."
            )
        experiment = replace(experiment, processor_sha256=add_processor(str(parts["processor"])))
    concepts = parts.get("given", ())
    concepts = concepts if isinstance(concepts, list | tuple) else [concepts]
    parts["given"] = tuple(dict.fromkeys(concepts)) or experiment.architecture.given
    known = [field.name for field in fields(Schedule)]
    for setting in settings:
        if setting not in known:
            raise UnknownNameError(
                "setting of the network or its schedule", setting, [*NETWORK_SETTINGS, *known]
            )
    epochs = settings.pop("epochs", None)
    epochs = experiment.schedule.epochs if epochs is None else epochs
    epochs = replace(Schedule(), epochs=epochs).epochs  # what is no number is refused
    experiment = replace(
        experiment,
        schedule=replace(experiment.schedule.with_epochs(epochs), **settings),
        architecture=replace(experiment.architecture, **parts),
        seeds=tuple(seeds),
        data_seed=data_seed,
    )
    check_experiment(experiment)
    return experiment


def check_experiment(experiment: Experiment) -> None:
    """Raises an error where an experiment cannot be carried out, and says what can be."""
    wrong = training_objection(experiment)
    if wrong is not None:
        raise ContractError(f"{wrong} {_advice(experiment, wrong)}")
    # a network of one seed is built, so that a processor that there is not, or that cannot be made,
    # is named by now
    algorithm = experiment.find_algorithm()
    network = Network(algorithm, experiment.architecture, experiment.seeds[:1])
    if next(network.parameters(), None) is None:
        raise AlgoLensError(
            f"the network '{experiment.architecture.processor}' has no weights, so there is "
            "nothing to train: take it up as it is, with al.wrap or `algolens train --epochs 0`."
        )
    declaration, schedule = algorithm.declaration, experiment.schedule
    for name in schedule.concept_weights:
        if name not in declaration.concepts:
            raise UnknownNameError(f"concept of {algorithm.name}", name, declaration.concepts)
    for name, weights in schedule.hint_weights.items():
        if name not in declaration.hints:
            raise UnknownNameError(f"hint of {algorithm.name}", name, declaration.hints)
        labels = declaration.hints[name].kind.labels
        if set(weights) != set(labels):
            came, wanted = ", ".join(weights) or "none", ", ".join(labels)
            raise AlgoLensError(
                f"'hint_weights' of the schedule has for '{name}' the classes {came}: give "
                f"{wanted or 'none, for it has no classes'}."
            )


def training_objection(experiment: Experiment) -> str | None:
    """What keeps the network from learning the algorithm or its proof from being tried, if any."""
    algorithm = experiment.find_algorithm()
    try:
        check_architecture(algorithm, experiment.architecture)
        check_proof(algorithm, experiment.architecture)
    except ContractError as problem:
        return str(problem)
    return None


def objections(algorithm: Algorithm, given: tuple[str, ...] = ()) -> dict[str, str | None]:
    """For every preset of an algorithm, what keeps it from learning that; None: nothing.

    Parameters
    ----------
    algorithm : Algorithm
        What is to be learnt.
    given : tuple of str
        Concepts that are to be given, where not those of the preset.
    """
    by_preset = {}
    for name in PRESETS:
        try:
            made = preset(name, algorithm)
        except AlgoLensError:
            continue  # there is no such preset for this algorithm
        architecture = replace(made.architecture, given=given or made.architecture.given)
        by_preset[name] = training_objection(replace(made, architecture=architecture))
    return by_preset


def _advice(experiment: Experiment, wrong: str) -> str:
    """What learns the algorithm, or that nothing does and why."""
    algorithm, given = experiment.find_algorithm(), experiment.architecture.given
    by_preset = objections(algorithm, given)
    settings = [f"{name}={value}" for name, value in experiment.options.items()]
    settings += [f"{name} given" for name in given]
    what = " with ".join(filter(None, [algorithm.name, ", ".join(settings)]))
    learning = without_objection(by_preset)
    if learning:
        own = ", with its own processor" if experiment.preset in learning else ""
        return f"What learns {what}: the preset {_either(learning)}{own}."
    reasons: dict[str, list[str]] = {}
    for name, problem in by_preset.items():
        if problem is not None and problem != wrong:
            reasons.setdefault(problem.rstrip("."), []).append(name)
    others = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    without = without_objection(objections(algorithm)) if given else []
    instead = f" With nothing given: the preset {_either(without)}." if without else ""
    return f"No preset learns {what}{f' ({others})' if others else ''}.{instead}"


def without_objection(by_preset: Mapping[str, str | None]) -> list[str]:
    """The presets that nothing keeps from learning an algorithm."""
    return [name for name, problem in by_preset.items() if problem is None]


def _either(names: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
