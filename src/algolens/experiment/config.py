"""An experiment: all that a training depends on, in one frozen record; presets; what is checked."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from torch import nn

from algolens.algorithms import Algorithm, algorithms, variants
from algolens.algorithms import algorithm as named_algorithm
from algolens.engines.needs import most_bits
from algolens.errors import AlgoLensError, ContractError, UnknownNameError, brief
from algolens.models import Architecture, Network, add_network, add_processor, gives_concepts
from algolens.models.architecture import EXACT, LITERAL, LITERAL_SETS, PAPERS, SETS
from algolens.models.network import check_architecture, fits, reads_at
from algolens.proofs.network import check_proof
from algolens.protocol import DEFAULT_PRESET, PRESETS
from algolens.reading import read_text
from algolens.records import Experiment
from algolens.training import Schedule

PRESET_DATA = tomllib.loads(read_text(Path(__file__).with_name("presets.toml")))
# by preset and algorithm
SCHEDULES = {
    name: {algorithm: Schedule(**settings) for algorithm, settings in PRESET_DATA[name].items()}
    for name in ("paper", "paper-literal")
}
EXACT_SCHEDULE, OWN_SCHEDULE = (Schedule(**PRESET_DATA[name]) for name in ("exact", "own"))
# of the networks of a kind, the first that can learn an algorithm is taken
PROCESSORS = {"paper": (PAPERS, SETS), "paper-literal": (LITERAL, LITERAL_SETS)}
ORACLES: Mapping[str, str] = PRESET_DATA["oracles"]
# presets of which there is none for other algorithms
OF_PAPERS: Mapping[str, Collection[str]] = {
    "oracle": ORACLES,
    "paper-literal": SCHEDULES["paper-literal"],
}
OWN_NETWORK = "own"  # in the place of a preset's name
EXACT_WIDTH = 16  # of hidden layers


def preset(name: str, algorithm: Algorithm) -> Experiment:
    """Return the experiment of a preset; algorithms that are not in the paper train like BFS.

    Parameters
    ----------
    name : str
        One of ``PRESETS``.
    algorithm : Algorithm
        What is to be learnt, with its options.

    Raises
    ------
    AlgoLensError
        If there is no such preset, or none for this algorithm.
    """
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    own = algorithm.data_name
    if name == "oracle" and own not in ORACLES:
        known = ", ".join(f"{concept} of {other}" for other, concept in ORACLES.items())
        raise AlgoLensError(
            f"no concept of {own} is named for an oracle study; there is {known}. To give another, "
            "train the preset 'paper' with --set given=CONCEPT."
        )
    if name == "paper-literal" and own not in SCHEDULES["paper-literal"]:
        raise AlgoLensError(
            f"the paper trains no network for {own}, only for {', '.join(OF_PAPERS[name])}: "
            "train the preset 'paper', made after those."
        )
    said = _of(algorithm)
    families, variant, options = None, said["variant"], said["options"]
    if name == "exact":
        if "bits" in algorithm.options:
            options["bits"] = most_bits(algorithm)
        architecture, schedule = Architecture(processor=EXACT, width=EXACT_WIDTH), EXACT_SCHEDULE
    else:
        variant = variant or PRESET_DATA["variants"].get(own)
        kind = name if name in PROCESSORS else "paper"
        families = PRESET_DATA["families"].get(own) if kind == "paper-literal" else None
        schedule = SCHEDULES[kind].get(own, SCHEDULES["paper"]["bfs"])
        # every node of the paper's graphs has a self-loop. But a maximum of messages that includes
        # the node's own does not show whether something holds of a neighbour, where it holds of the
        # node itself
        architecture = _fitting(
            PROCESSORS[kind],
            type(algorithm)(**options) if variant is None else named_algorithm(variant, **options),
            Architecture(bottleneck=name != "standard", self_loops=own in SCHEDULES["paper"]),
        )
        if name == "oracle":
            architecture = replace(architecture, given=(ORACLES[own],))
        elif name in ("paper-unregularised", "standard"):
            schedule = replace(schedule, l1=0.0, prune_epoch=None)
    said |= {"variant": variant, "families": families and tuple(families)}
    return Experiment(preset=name, architecture=architecture, schedule=schedule, **said)


def own_network(network: str | type[nn.Module], algorithm: Algorithm) -> Experiment:
    """Return the experiment of the user's own network, after trying it on two small graphs.

    Parameters
    ----------
    network : str or type of nn.Module
        Its file and class, such as ``my_file.py:MyNet``, or the class.
    algorithm : Algorithm
        What is to be learnt, with its options.

    Raises
    ------
    AlgoLensError
        If there is no such network, or it does not return what the algorithm declares.
    """
    name, sha256 = add_network(network)
    architecture = Architecture(
        processor=name, bottleneck=gives_concepts(algorithm, name), self_loops=False
    )
    said = {**_of(algorithm), "schedule": OWN_SCHEDULE, "processor_sha256": sha256}
    return Experiment(preset=OWN_NETWORK, architecture=architecture, **said)


def _of(algorithm: Algorithm) -> dict[str, Any]:
    """What an experiment says of its algorithm, and the seeds unless a user gives others."""
    usual, of_name = type(algorithm)().options, (algorithms() | variants()).get(algorithm.name)
    return {
        "algorithm": algorithm.data_name,
        "variant": algorithm.name if algorithm.variant_of else None,
        "options": {key: value for key, value in algorithm.options.items() if value != usual[key]},
        # a class that its name does not stand for: one of a notebook, say
        "own": None if of_name is type(algorithm) else type(algorithm),
        "seeds": (0,),
        "data_seed": 0,
    }


def _fitting(
    processors: tuple[str, ...], algorithm: Algorithm, architecture: Architecture
) -> Architecture:
    """With the first processor that can learn it; else the first that reads where it decides."""
    location = algorithm.declaration.location
    choices = [replace(architecture, processor=name) for name in processors]
    near = [choice for choice in choices if reads_at(choice) == location]
    return next((choice for choice in choices if fits(algorithm, choice)), (near or choices)[0])


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
    """Return a preset's experiment with other settings, checked before drawing or training.

    Parameters
    ----------
    algorithm : Algorithm
        What is to be learnt, with its options.
    name : str
        The preset.
    seeds : sequence of int
        Seeds of the networks' initial weights.
    network : str or type of nn.Module, optional
        The user's own network, instead of a preset's.
    data_seed : int
        Seed of the data sets.
    **settings
        Settings of the network (``NETWORK_SETTINGS``) and schedule; None keeps the preset's.
        If the number of epochs changes, the pruning epoch scales with it.

    Raises
    ------
    AlgoLensError
        If a setting is unknown or makes no sense, or the network cannot learn the algorithm.
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
    """Raise an error if an experiment cannot be run, and say what can be."""
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
        labels = declaration.hints[name].classes
        if set(weights) != set(labels):
            came, wanted = ", ".join(weights) or "none", ", ".join(labels)
            raise AlgoLensError(
                f"'hint_weights' of the schedule has for '{name}' the classes {came}: give "
                f"{wanted or 'none, for it has no classes'}."
            )


def training_objection(experiment: Experiment) -> str | None:
    """Return why the network cannot learn the algorithm or its proof be tried, or None."""
    algorithm = experiment.find_algorithm()
    try:
        check_architecture(algorithm, experiment.architecture)
        check_proof(algorithm, experiment.architecture)
    except ContractError as problem:
        return str(problem)
    return None


def objections(algorithm: Algorithm, given: tuple[str, ...] = ()) -> dict[str, str | None]:
    """Return for each preset why it cannot learn an algorithm, or None if it can.

    Parameters
    ----------
    algorithm : Algorithm
        What is to be learnt.
    given : tuple of str
        Concepts to supply, if not those of the preset.
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
    """Return the presets that can learn an algorithm."""
    return [name for name, problem in by_preset.items() if problem is None]


def _either(names: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
