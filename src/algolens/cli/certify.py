"""``algolens certify``: what is proven of a trained run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from algolens.certification import Certificate, certify, provable
from algolens.cli.options import JSON_OPTION, RunArgument
from algolens.cli.output import print_json, results
from algolens.errors import AlgoLensError
from algolens.experiment import load_run, objections, save_certificate, shipped_folder


def certify_command(
    run: RunArgument,
    json: bool = JSON_OPTION,
) -> None:
    """Prove a network right on every graph, and say what is proven, what is tested exhaustively and what only on samples.

    Writes certificate.json into the folder. Exit status 1 where a check fails; its counterexample is shown. Examples:
    `algolens certify coloring` and `algolens certify runs/bfs-exact --json`
    """
    trained = load_run(run)
    network = trained.network.cpu()
    if not provable(network):
        name, wrong = network.algorithm.name, objections(network.algorithm)["exact"]
        advice = f"train one with `algolens train {name} --preset exact`." if wrong is None else f"nor can another: {wrong}"
        raise AlgoLensError(
            f"{run}: this network for {name} keeps a memory of numbers between steps, and cannot be proven right; {advice}"
        )
    certificates = [certify(network.only(place)) for place in range(len(network.seeds))]
    if shipped_folder(run) is None:  # what came with the package stays as it came
        save_certificate(Path(run), as_json(certificates))
    if json:
        print_json(as_json(certificates))
    else:
        for certificate in certificates:
            _show(certificate)
    if not all(certificate.proven for certificate in certificates):
        raise typer.Exit(1)


def as_json(certificates: list[Certificate]) -> dict[str, Any]:
    """The certificates of all seeds: a check counts the cases and failures of all of them."""
    first = certificates[0].to_json()
    if len(certificates) == 1:
        return first
    checks = [
        {
            **check,
            "cases": sum(each.checks[i].cases for each in certificates),
            "failures": sum(each.checks[i].failures for each in certificates),
        }
        for i, check in enumerate(first["checks"])
    ]
    return {
        "algorithm": first["algorithm"],
        "proven": all(each.proven for each in certificates),
        "assumptions": first["assumptions"],
        "checks": checks,
        "seeds": [each.to_json() for each in certificates],
    }


def _show(certificate: Certificate) -> None:
    proven, not_proven = "[bold green]proven right on every graph[/], where", "[bold red]not proven[/]. It was tried where"
    results.print(f"[bold]{certificate.algorithm}[/], seed {certificate.seed}: {proven if certificate.proven else not_proven}")
    for assumption in certificate.assumptions:
        results.print(f"  - {assumption}", highlight=False)
    table = Table()
    for column in ("check", "by", "cases", "failures", "what it says"):
        table.add_column(column, justify="right" if column in ("cases", "failures") else "left")
    for check in certificate.checks:
        says = check.says if check.counterexample is None else f"{check.says}\n[red]Not so: {check.counterexample}.[/]"
        table.add_row(check.name, check.basis.value, f"{check.cases:,}", f"{check.failures:,}", says)
    results.print(table)
