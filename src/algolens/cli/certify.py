"""``algolens certify``: what is proven of a trained run."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table

from algolens.certification import Certificate, certify, provable
from algolens.cli.options import JSON_OPTION, RunArgument
from algolens.cli.output import print_json, results
from algolens.errors import AlgoLensError
from algolens.experiment import certificates_json, load_run, objections, save_certificates, save_declaration, shipped_folder


def certify_command(
    run: RunArgument,
    json: bool = JSON_OPTION,
) -> None:
    """Prove of a network what can be proven on every graph; say what is tested exhaustively, and what only on samples.

    Writes certificate.json and declaration.json into the folder. Exit status 1 where a check fails; its counterexample is
    shown. Examples:
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
        save_certificates(Path(run), certificates)
        save_declaration(Path(run), network)
    if json:
        print_json(certificates_json(certificates))
    else:
        for certificate in certificates:
            _show(certificate)
    if not all(certificate.proven for certificate in certificates):
        raise typer.Exit(1)


def _show(certificate: Certificate) -> None:
    verdict = "[bold green]proven right on every graph[/]" if certificate.proven else "[bold red]not proven[/]"
    results.print(f"[bold]{certificate.algorithm}[/], seed {certificate.seed}: {verdict}.", highlight=False)
    for assumption in certificate.assumptions:
        results.print(f"  - assumed: {assumption}", highlight=False)
    table = Table()
    for column in ("check", "by", "cases", "failures", "what it says"):
        table.add_column(column, justify="right" if column in ("cases", "failures") else "left")
    for check in certificate.checks:
        says = check.says if check.counterexample is None else f"{check.says}\n[red]Not so: {check.counterexample}.[/]"
        table.add_row(check.name, check.basis.value, f"{check.cases:,}", f"{check.failures:,}", says)
    results.print(table)
