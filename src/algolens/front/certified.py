"""What is proven of a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from algolens.certification import Certificate
from algolens.errors import ContractError
from algolens.experiment import certificates_json, objections
from algolens.front.display import Shown
from algolens.front.model import Model, as_model
from algolens.models import Network


@dataclass(frozen=True, eq=False, repr=False)
class Certified(Shown):
    """What ``al.certify`` gives: true where every seed is proven right. ``print`` shows every
    check, and what is assumed.
    """

    certificates: tuple[Certificate, ...]  # of each seed

    def __bool__(self) -> bool:
        return all(each.proven for each in self.certificates)

    def to_json(self) -> dict[str, Any]:
        """What certificate.json holds."""
        return certificates_json(self.certificates)

    def parts(self) -> Iterator[RenderableType]:
        for each in self.certificates:
            yield from certificate_report(each)

    def __repr__(self) -> str:
        said = "proven right on every graph" if self else "not proven"
        return f"Certified({self.certificates[0].algorithm}, {said})"


def certify(model: Model | str | PathLike[str]) -> Certified:
    """Proves of a model what can be proven on every graph, and says what is tried besides. It takes
    some seconds.

    model: itself, a run's folder, or an algorithm's name. Nothing is written: ``algolens certify
    RUN`` does that.
    """
    found = as_model(model)
    if not found.is_provable:
        raise ContractError(not_provable(found.network))
    return Certified(found.certificates)


def not_provable(network: Network) -> str:
    """Why a network cannot be proven right, and what can be."""
    name, wrong = network.algorithm.name, objections(network.algorithm)["exact"]
    advice = (
        f"train one with `algolens train {name} --preset exact`."
        if wrong is None
        else f"nor can another: {wrong}"
    )
    return (
        f"this network for {name} keeps a memory of numbers between steps, and cannot be proven "
        f"right; {advice}"
    )


def certificate_report(certificate: Certificate) -> Iterator[RenderableType]:
    """A verdict, what it assumes, and a row for each check."""
    verdict = (
        ("proven right on every graph", "bold green")
        if certificate.proven
        else ("not proven", "bold red")
    )
    yield Text.assemble(
        (certificate.algorithm, "bold"), f", seed {certificate.seed}: ", verdict, "."
    )
    for assumption in certificate.assumptions:
        yield Text(f"  - assumed: {assumption}")
    table = Table()
    for column in ("check", "by", "cases", "failures", "what it says"):
        table.add_column(column, justify="right" if column in ("cases", "failures") else "left")
    for check in certificate.checks:
        wrong = (
            () if check.counterexample is None else ((f"\nNot so: {check.counterexample}.", "red"),)
        )
        says = Text.assemble(check.says, *wrong)
        table.add_row(
            check.name, check.basis.value, f"{check.cases:,}", f"{check.failures:,}", says
        )
    yield table
