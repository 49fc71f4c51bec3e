"""A network that its user has trained: put into the loop as it is, scored and explained."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm
from algolens.disk import path_of
from algolens.errors import AlgoLensError
from algolens.experiment import Model
from algolens.experiment.config import own_network
from algolens.experiment.model import versions
from algolens.experiment.needs import check_training
from algolens.experiment.review import example_run
from algolens.experiment.train import finished
from algolens.front.training import find_trainable
from algolens.limits import SIZE
from algolens.models import Network, load_weights
from algolens.models.own import OwnNetwork
from algolens.models.weight_files import read_tensors
from algolens.records.experiment import About

OF_SEED = "perceiver.of_seed.0."  # before the names of a module's weights in a network of one seed


def wrap(
    algorithm: Algorithm | type[Algorithm] | str,
    network: nn.Module | type[nn.Module] | str,
    weights: Mapping[str, Tensor] | str | PathLike[str] | None = None,
    *,
    out: str | PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
    sizes: Sequence[int] = (),
    overwrite: bool = False,
) -> Model:
    """Takes up a network that you have trained: its rules are drawn, and it is scored.

    Nothing is trained. The model runs, is explained, scored, saved and played as any other.

    Parameters
    ----------
    algorithm : Algorithm, its class, or str
        What the network carries out, a step at a time.
    network : nn.Module, its class, or str
        The module. Or its class, or file and class as in ``"my_file.py:MyNet"``: it is made anew,
        and gets the weights.
    weights : mapping or path, optional
        A state of the module, or a file with one that ``torch.save`` or safetensors wrote.
    out : path, optional
        A folder to save the model in.
    options : mapping, optional
        Of the algorithm, as ``{"colors": 7}``.
    sizes : sequence of int
        Of test graphs, where not the paper's.
    overwrite : bool
        Whether a model that is in the folder may be replaced.

    Returns
    -------
    Model
        The network with its rules.

    Raises
    ------
    AlgoLensError
        The network does not give what the algorithm declares, the weights are another's, or the
        class of a module, made anew with its weights, is not the same module.
    """
    if isinstance(network, nn.Module) and weights is not None:
        raise AlgoLensError("a module has its own weights: give weights= with a class alone.")
    tested = tuple(SIZE.check(size, "one of sizes") for size in sizes)
    chosen = find_trainable(algorithm, options or {})
    if isinstance(network, nn.Module):
        module, state = network, network.state_dict()
        experiment = own_network(type(network), chosen)
    else:
        module = None
        if isinstance(weights, str | PathLike):
            weights = read_tensors(path_of(weights, "weights="))
        state = dict(weights or {})
        experiment = own_network(network, chosen)
    check_training(experiment, torch.device("cpu"), tested)
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
    about: About = {
        "command": f"al.wrap({chosen.name!r})",
        "device": "cpu",
        "versions": versions(),
    }
    sets = experiment.data(tests=not tested)
    wrapped = finished(experiment, made, sets, about, sizes=tested)
    if out is None:
        return wrapped
    return replace(wrapped, folder=wrapped.save(out, overwrite=overwrite))


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
