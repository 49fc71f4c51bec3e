"""A trained network and all that goes with it, as a user has it in hand; what is proven of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text
from torch import nn

from algolens.algorithms import Algorithm, algorithm_in_file, algorithms, unknown_algorithm
from algolens.errors import AlgoLensError, ContractError
from algolens.experiment import (
    FILES,
    TrainedModel,
    certificates_json,
    claim,
    load_model,
    objections,
    save_model,
    shipped_folder,
)
from algolens.front.arguments import path_of
from algolens.front.display import Shown
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.proofs import (
    Certificate,
    certify_network,
    objection_to_proof,
    proof,
    provable,
    unproven_methods,
)
from algolens.reading import read_bytes
from algolens.records.manifest import MOST_BYTES
from algolens.terminal.outcome import count_in_words
from algolens.terminal.scores import training_note

if TYPE_CHECKING:
    from algolens.front.execution import Execution
    from algolens.front.explanation import Explanation
    from algolens.front.training import Evaluated


class Model(Shown):
    """What ``al.load`` and ``al.train`` give: networks, their rules, and what is proven of them.

    Parameters
    ----------
    trained_model : TrainedModel
        The networks of all seeds, and what lay beside their weights.
    folder : Path, optional
        Where it lies, if it was loaded or saved.
    """

    def __init__(self, trained_model: TrainedModel, folder: Path | None = None) -> None:
        self.trained_model, self.folder = trained_model, folder

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that it learnt, with the options that it was trained with."""
        return self.network.algorithm

    @property
    def network(self) -> Network:
        """The networks of all seeds, side by side."""
        return self.trained_model.network

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of its networks; the first is the one that runs."""
        return tuple(self.network.seeds)

    @property
    def preset(self) -> str:
        """The preset that it was trained by."""
        return self.trained_model.experiment.preset

    @property
    def graphs(self) -> Mapping[str, Any] | None:
        """Which graphs of yours it was trained on, and how they were split; None: of none."""
        return self.trained_model.experiment.graphs

    @property
    def rules(self) -> RuleSet | None:
        """The rules that were drawn from the first seed's network; None where there are none."""
        rule_sets = self.trained_model.rule_sets
        return None if rule_sets is None else rule_sets[0]

    @property
    def scores(self) -> Mapping[str, Any]:
        """What it scored on the test sets when its training ended; nothing of a loaded model."""
        return self.trained_model.scores

    @property
    def notes(self) -> tuple[str, ...]:
        """What lay in its folder and is not about these weights."""
        return self.trained_model.notes

    @property
    def is_provable(self) -> bool:
        """Whether such a network can be proven right at all: one of the preset exact can."""
        return provable(self.network)

    @cached_property
    def is_proven(self) -> bool:
        """Whether every seed is proven to do what the algorithm declares, on every graph.

        The proof is made now, which takes a fraction of a second: no file is believed.
        """
        alone = (self.network.only(place) for place in range(len(self.seeds)))
        checks = (check for network in alone for check in proof(network))
        return self.is_provable and not any(check.failures for check in checks)

    @cached_property
    def certificates(self) -> tuple[Certificate, ...]:
        """The certificate of every seed, proven now; none where such a network cannot be proven."""
        if not self.is_provable:
            return ()
        network = self.network.cpu()
        return tuple(certify_network(network.only(place)) for place in range(len(self.seeds)))

    @property
    def certificate(self) -> Certificate | None:
        """That of the first seed; None where such a network cannot be proven."""
        return next(iter(self.certificates), None)

    def execute(self, graph: Any, *, by: str = "network", **arguments: Any) -> Execution:
        """Runs it on a graph: as ``al.execute``, by network unless said otherwise."""
        from algolens.front.executing import execute

        return execute(self, graph, by=by, **arguments)

    def explain(self, *, seed: int | None = None) -> Explanation:
        """What its concepts mean, and the rules that it decides by: as ``al.explain``."""
        from algolens.front.explanation import explain

        return explain(self, seed=seed)

    def evaluate(self, sizes: Sequence[int] = (20, 50, 100), **settings: Any) -> Evaluated:
        """Scores it on test graphs, running freely.

        Parameters
        ----------
        sizes : sequence of int
            Numbers of nodes; of graphs of your own, they do not matter.
        graphs : int, path or sequence of graphs, optional
            How many graphs of each size. Or your own: a folder of files, or a list of graphs in
            any form that ``al.execute`` takes.
        family : callable or str, optional
            A family of your own to draw the graphs of, as ``al.train`` takes it.
        directed : bool, optional
            Whether edges of your graphs have directions, where that is not as they say.
        data_seed : int, optional
            For fresh graphs, in none of the model's own sets. Of your own graphs, for inputs that
            they do not carry.
        by : str
            ``network``, or ``rules`` for the scores with the rules deciding alone.
        first_mistakes : bool
            Whether to find where runs first go wrong.
        device : str, optional
            ``auto``, ``cpu`` or ``cuda``; None: where the network is.
        """
        from algolens.front.training import evaluate

        return evaluate(self, sizes, **settings)

    def save(self, folder: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes it into a folder, for ``al.load`` and for every command."""
        place = path_of(folder, "save")
        if self.folder is None or self.trained_model.scores:
            save_model(place, self.trained_model, overwrite=overwrite)
            return place
        files = [self.folder / name for name in FILES if (self.folder / name).is_file()]
        contents = {file.name: read_bytes(file, MOST_BYTES) for file in files}
        with claim(place, overwrite=overwrite) as claimed:
            claimed.install(contents)
        return place

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        yield Text(repr(self), style="bold")
        if self.graphs is not None:
            seed = self.trained_model.experiment.data_seed
            yield Text(training_note(self.graphs, seed), style="dim")
        if self.rules is not None:
            yield Text(str(self.rules))
        for note in self.notes:
            yield Text(f"note: {note}", style="dim")

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self.algorithm.options.items())
        seeds = "" if len(self.seeds) == 1 else f", {count_in_words(len(self.seeds), 'seed')}"
        proven = ", proven right on every graph" if self.is_proven else ", not proven"
        return (
            f"Model({self.algorithm.name}{f' ({options})' if options else ''}, "
            f"{self.preset}{seeds}{proven if self.is_provable else ''})"
        )


def load(
    what: str | PathLike[str],
    *,
    algorithm: type[Algorithm] | Algorithm | None = None,
    network: type[nn.Module] | None = None,
) -> Model:
    """The model that ships for an algorithm, or one of your own.

    Parameters
    ----------
    what : str or path
        The algorithm's name, or a model's folder.
    algorithm : type of Algorithm, optional
        The algorithm's class, where it stands in no file that the library knows: in a notebook.
    network : type of nn.Module, optional
        The class of a network of your own. Without it, the file that holds it is run.

    Returns
    -------
    Model
        The networks with their rules.

    Examples
    --------
    >>> load("coloring")
    Model(coloring (colors=5, bits=62), exact, proven right on every graph)
    """
    if not isinstance(what, str | PathLike):
        raise AlgoLensError(
            "a model goes by the name of an algorithm or by its folder; a "
            f"{type(what).__name__} came."
        )
    in_file = algorithm_in_file(str(what))
    name = str(what) if in_file is None else in_file.name
    own = type(algorithm) if isinstance(algorithm, Algorithm) else algorithm
    if own is not None and not (isinstance(own, type) and issubclass(own, Algorithm)):
        raise AlgoLensError(f"algorithm= takes the class of an Algorithm, and {own!r} came.")
    ships = None if own is not None else shipped_folder(name)
    if ships is None and not Path(name).exists() and "/" not in name:
        if name not in algorithms():
            raise unknown_algorithm(name, " Or give a model's folder.")
        raise AlgoLensError(f"no model ships for {name}: train one, with al.train('{what}').")
    return Model(load_model(name, own, network), ships or Path(name))


def as_model(given: object) -> Model:
    """A model, as a user gives it: itself, its folder, or the name of one that ships."""
    if isinstance(given, Model):
        return given
    if isinstance(given, str | PathLike):
        return load(given)
    raise AlgoLensError(
        f"a model is what al.load or al.train gives, or its folder; a {type(given).__name__} came."
    )


@dataclass(frozen=True, eq=False, repr=False)
class Certified(Shown):
    """What ``al.certify`` gives: true where every seed is proven right.

    ``print`` shows every check, and what is assumed.

    Attributes
    ----------
    certificates : tuple of Certificate
        Of each seed.
    """

    certificates: tuple[Certificate, ...]

    def __bool__(self) -> bool:
        return all(certificate.proven for certificate in self.certificates)

    def to_json(self) -> dict[str, Any]:
        """What certificate.json holds."""
        return certificates_json(self.certificates)

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        for certificate in self.certificates:
            yield from _certificate_report(certificate)

    def __repr__(self) -> str:
        said = "proven right on every graph" if self else "not proven"
        return f"Certified({self.certificates[0].algorithm}, {said})"


def certify(model: Model | str | PathLike[str]) -> Certified:
    """Proves of a model what can be proven on every graph, and tries the rest; in some seconds.

    Parameters
    ----------
    model : Model, str or path
        Itself, its folder, or an algorithm's name.

    Returns
    -------
    Certified
        The certificates. Nothing is written: ``algolens certify MODEL`` does that.

    Raises
    ------
    ContractError
        Where such a network cannot be proven.
    """
    chosen = as_model(model)
    if chosen.is_provable:
        return Certified(chosen.certificates)
    name, wrong = chosen.algorithm.name, objections(chosen.algorithm)["exact"]
    objection = objection_to_proof(chosen.network)
    advice = f"nor can another: {wrong}"
    if unproven_methods(chosen.algorithm):
        advice = "declare what that does."
    elif wrong is None:
        advice = f"train one with `algolens train {name} --preset exact`."
    raise ContractError(f"{objection}, and cannot be proven right; {advice}")


def _certificate_report(certificate: Certificate) -> Iterator[RenderableType]:
    """A verdict, what it assumes, and each check with what it says, on any width."""
    verdict, style = ("not proven", "bold red")
    if certificate.proven:
        verdict, style = ("proven right on every graph", "bold green")
    seed = f", seed {certificate.seed}: "
    yield Text.assemble((certificate.algorithm, "bold"), seed, (verdict, style), ".")
    for assumption in certificate.assumptions:
        yield Padding(Text(f"assumed: {assumption}"), (0, 0, 0, 2), expand=False)
    for check in certificate.checks:
        cases, failed = count_in_words(check.cases, "case"), f"{check.failures:,} failed"
        yield Text()
        yield Text.assemble((check.name, "bold"), f" ({check.basis.value}): {cases}, {failed}.")
        yield Padding(Text(check.says), (0, 0, 0, 2), expand=False)
        if check.counterexample is not None:
            yield Padding(
                Text(f"Not so: {check.counterexample}.", "red"), (0, 0, 0, 2), expand=False
            )
