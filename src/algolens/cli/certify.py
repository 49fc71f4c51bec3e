"""``algolens certify``: what is proven of a trained run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from algolens.cli.options import JSON_OPTION, RunArgument
from algolens.cli.output import print_json, remarks, results
from algolens.errors import AlgoLensError

if TYPE_CHECKING:
    from algolens.certification.smt.solvers import Answer, Solver
    from algolens.experiment import TrainedModel
    from algolens.models import Network


def certify_command(
    run: RunArgument,
    smtlib: Annotated[
        Path | None,
        typer.Option(
            help="An empty folder for what a proof has to show, as SMT-LIB files for any solver."
        ),
    ] = None,
    check_with: Annotated[
        str | None,
        typer.Option(help="A solver that is to show it once more: z3 or cvc5.", metavar="SOLVER"),
    ] = None,
    json: bool = JSON_OPTION,
) -> None:
    """Prove of a network what can be proven on every graph; say what is tested exhaustively, and
    what only on samples.

    Writes certificate.json and declaration.json into the folder: `python -m algolens.checker RUN`,
    or a copy of that file alone, checks them again. Exit status 1 where a check fails; its
    counterexample is shown. Examples: `algolens certify coloring`, `algolens certify runs/bfs-exact
    --json` and `algolens certify prim --check-with z3`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.certification import certify_network, provable
    from algolens.certification.smt.obligations import obligations, write_obligations
    from algolens.certification.smt.solvers import solver
    from algolens.experiment import (
        certificates_json,
        load_model,
        save_certificates,
        save_declaration,
        shipped_folder,
    )
    from algolens.front.certified import certificate_report, not_provable

    # before anything is done: it may not be installed
    judge = None if check_with is None else solver(check_with)
    trained = load_model(run)
    network = trained.network.cpu()
    if not provable(network):
        raise AlgoLensError(f"{run}: {not_provable(network)}")
    alone = [network.only(place) for place in range(len(network.seeds))]
    rules = {} if judge is None else _compared_rules(trained)
    if smtlib is not None:
        for each in alone:
            folder = smtlib if len(alone) == 1 else smtlib / f"seed-{each.seeds[0]}"
            write_obligations(folder, each, list(obligations(each)))
            remarks.print(
                f"What has to be shown of seed {each.seeds[0]} is in {folder}.", highlight=False
            )
    certificates = [certify_network(each) for each in alone]
    answers = [] if judge is None else [_asked(judge, each) for each in alone]
    if shipped_folder(run) is None:  # what came with the package stays as it came
        save_certificates(Path(run), certificates)
        save_declaration(Path(run), network)
    if json:
        asked = (
            {}
            if judge is None
            else {"solver": _solver_json(judge, answers), "rules": _rules_json(rules)}
        )
        print_json({**certificates_json(certificates), **asked})
    else:
        for certificate in certificates:
            for part in certificate_report(certificate):
                results.print(part)
        for of_seed in answers:
            _show_answers(judge, of_seed)
        _show_rules(rules)
    shown = all(answer.is_shown for each in answers for answer in each)
    if not shown or not all(certificate.proven for certificate in certificates):
        raise typer.Exit(1)


def _asked(judge: Solver, network: Network) -> list[Answer]:
    from algolens.certification.smt.obligations import obligations
    from algolens.certification.smt.solvers import check_with
    from algolens.cli.progress import counting

    every = list(obligations(network))
    with counting(
        f"{network.algorithm.name}, by {judge.package}", len(every), "obligation"
    ) as done:
        return check_with(judge, every, lambda _: done())


def _compared_rules(trained: TrainedModel) -> dict[str, dict[str, bool] | None]:
    """For each rule drawn from a network, a pattern on which the declared one differs, or None."""
    declared, patterns = trained.network.algorithm.declaration.program, {}
    for seed, drawn in zip(trained.network.seeds, trained.programs or [], strict=False):
        for output, classes in declared.rules.items():
            for label, rule in classes.items():
                name = f"seed {seed}, {output} = {label}"
                patterns[name] = rule.difference(drawn.rules[output][label])
        here, there = declared.continues, drawn.continues
        if here is not None and there is not None and here.quantifier is there.quantifier:
            patterns[f"seed {seed}, going on"] = here.formula.difference(there.formula)
    return patterns


def _rules_json(rules: Mapping[str, dict[str, bool] | None]) -> dict[str, Any]:
    differ = {name: pattern for name, pattern in rules.items() if pattern is not None}
    return {"compared": len(rules), "equal": len(rules) - len(differ), "differ": differ}


def _show_rules(rules: Mapping[str, dict[str, bool] | None]) -> None:
    if rules:
        equal = sum(pattern is None for pattern in rules.values())
        results.print(f"{equal} of {len(rules)} rules drawn from it are equal to those declared.")
    for name, pattern in rules.items():
        if pattern is not None:
            words = " & ".join(
                concept if value else f"~{concept}" for concept, value in pattern.items()
            )
            results.print(f"  - {name}: differs on {words}", highlight=False, markup=False)


def _solver_json(judge: Solver, answers: list[list[Answer]]) -> dict[str, Any]:
    every = [answer for each in answers for answer in each]
    failed = [
        {"obligation": each.obligation.name, "said": each.said, "found": each.words()}
        for each in every
        if not each.is_shown
    ]
    return {
        "name": judge.package,
        "version": judge.version,
        "obligations": len(every),
        "failed": failed,
    }


def _show_answers(judge: Solver | None, answers: list[Answer]) -> None:
    assert judge is not None
    failed = [each for each in answers if not each.is_shown]
    verdict = ("not shown", "bold red") if failed else ("shown once more", "bold green")
    shown = (
        f" by {judge.package} {judge.version}: {len(answers) - len(failed)} of {len(answers)} "
        "obligations."
    )
    results.print(Text.assemble(verdict, shown))
    for each in failed:
        results.print(
            f"  - {each.obligation.name}: {each.words()}",
            style="red",
            highlight=False,
            markup=False,
        )
