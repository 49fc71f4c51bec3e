"""A network that its user has trained: put into the loop as it is, scored and explained."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError
from algolens.experiment.config import own_network
from algolens.experiment.folder import TrainedModel, versions
from algolens.experiment.needs import check_training
from algolens.experiment.review import example_run
from algolens.experiment.train import finished
from algolens.models import Network, load_weights
from algolens.models.own import OwnNetwork
from algolens.models.weight_files import read_tensors
from algolens.records.experiment import About

OF_SEED = "perceiver.of_seed.0."  # before the names of a module's weights in a network of one seed


def wrap_network(
    algorithm: Algorithm,
    network: nn.Module | type[nn.Module] | str,
    weights: Mapping[str, Tensor] | Path | None = None,
    command: str = "",
    sizes: tuple[int, ...] = (),
) -> TrainedModel:
    """A network that is trained already, with its rules and its scores.

    Parameters
    ----------
    algorithm : Algorithm
        What it carries out.
    network : nn.Module, its class, or str
        The module; or its class, or file and class, which is made anew and gets the weights.
    weights : mapping or Path, optional
        A state of the module, or a file that ``torch.save`` or safetensors wrote with one.
    command : str
        What the model says that it was made by.
    sizes : tuple of int
        Of test graphs, where not the recipe's.

    Raises
    ------
    AlgoLensError
        The module does not give what the algorithm declares, or its class, made anew with these
        weights, is not the same module.
    """
    if isinstance(network, nn.Module):
        module, state = network, network.state_dict()
        experiment = own_network(type(network), algorithm)
    else:
        module, state = None, dict(_read(weights))
        experiment = own_network(network, algorithm)
    check_training(experiment, torch.device("cpu"), sizes)
    made = Network(experiment.find_algorithm(), experiment.architecture, experiment.seeds)
    if made.decoders:
        raise AlgoLensError(
            f"{made.perceiver.name} gives concepts and has no decide(concepts), so nothing that "
            "is trained decides outputs: add it, or train with network=."
        )
    try:
        load_weights(made, {f"{OF_SEED}{name}": value.cpu() for name, value in state.items()})
    except AlgoLensError as problem:
        said = str(problem).replace(OF_SEED, "")
        raise AlgoLensError(
            f"the weights do not fit {made.perceiver.name}: {said}. They are those of a module "
            "made with what AlgoLens gives its constructor."
        ) from problem
    if module is not None:
        _check_same(copy.deepcopy(module).cpu().eval(), made)
    about: About = {"command": command, "device": "cpu", "versions": versions()}
    return finished(experiment, made, experiment.data(tests=not sizes), about, sizes=sizes)


def _read(weights: Mapping[str, Tensor] | Path | None) -> Mapping[str, Tensor]:
    """A module's state, from a file where it is in one."""
    if not isinstance(weights, Path):
        return weights or {}
    return read_tensors(weights)


@torch.no_grad()
def _check_same(module: nn.Module, network: Network) -> None:
    """Refuses a module that its class, made anew with the same weights, does not equal.

    The saved model holds weights alone: what else a constructor was given would be lost.
    """
    perceiver, algorithm = network.perceiver, network.algorithm
    assert isinstance(perceiver, OwnNetwork)
    truth = example_run(algorithm)
    graph, inputs = truth.graph, truth.inputs
    ours: Any = perceiver.of_seed[0].eval()
    theirs: Any = module
    for step in range(truth.num_steps + 1):
        state = {name: truth.state(name)[step] for name in truth.start}
        batch = perceiver.encoding(graph, {**inputs, **state})
        given, wanted = theirs(batch.clone()), ours(batch.clone())
        if perceiver.decides:
            concepts = torch.sigmoid(perceiver.head(perceiver.scores(graph, {**inputs, **state})))[
                0
            ]
            given, wanted = given | theirs.decide(concepts), wanted | ours.decide(concepts)
        for name, scores in wanted.items():
            if name not in given or not torch.allclose(given[name], scores, atol=1e-5):
                raise AlgoLensError(
                    f"{perceiver.name}, made anew with the same weights, gives another '{name}' "
                    "than this module: its constructor was given something that AlgoLens does not "
                    "give. Let that be the default, in a subclass say."
                )
