"""Models loaded and certified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text
from torch import nn

from algolens.algorithms import Algorithm, algorithm_in_file, algorithms, unknown_algorithm
from algolens.errors import AlgoLensError, ContractError
from algolens.experiment import (
    Model,
    certificates_json,
    load_model,
    objections,
    shipped_folder,
)
from algolens.proofs import (
    Certificate,
    certify_network,
    objection_to_proof,
    unproven_methods,
)
from algolens.terminal.display import Shown
from algolens.terminal.outcome import count_in_words


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
    return load_model(name, own, network)


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
        return Certified(tuple(map(certify_network, chosen.alone)))
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
