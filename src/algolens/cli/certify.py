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
    from algolens.certification.smt.drat import Equality
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
    rules = {} if smtlib is None and judge is None else _rules(trained, must=judge is not None)
    if smtlib is not None:
        for each in alone:
            folder = smtlib if len(alone) == 1 else smtlib / f"seed-{each.seeds[0]}"
            write_obligations(folder, each, list(obligations(each)), rules.get(each.seeds[0], []))
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
        return check_with(judge, network, every, lambda _: done())


def _rules(trained: TrainedModel, *, must: bool) -> dict[int, list[Equality]]:
    """By seed, the rules that were drawn from its network beside those declared; none where no
    rules are there.

    must: whether they are asked for, and it is an error where python-sat is not installed; else
    that is remarked.
    """
    from algolens.certification.smt.drat import equalities

    seeds, rule_sets = trained.network.seeds, trained.rule_sets
    declared = trained.network.algorithm.declaration.rule_set
    try:
        return {
            seed: list(equalities(declared, rule_set))
            for seed, rule_set in zip(seeds, rule_sets or [], strict=False)
        }
    except AlgoLensError as problem:
        if must:
            raise
        remarks.print(f"Rules are not among it: {problem}", highlight=False, markup=False)
        return {}


def _rules_json(rules: Mapping[int, list[Equality]]) -> dict[str, Any]:
    every = [rule for each in rules.values() for rule in each]
    differ = {rule.name: rule.pattern for rule in every if rule.pattern is not None}
    return {
        "compared": len(every),
        "equal_by_drat": sum(rule.is_shown for rule in every),
        "differ": differ,
    }


def _show_rules(rules: Mapping[int, list[Equality]]) -> None:
    every = [rule for each in rules.values() for rule in each]
    if every:
        shown = sum(rule.is_shown for rule in every)
        results.print(
            f"{shown} of {len(every)} rules drawn from it are equal to those declared, by DRAT "
            "proofs that were checked."
        )
    for rule in every:
        if rule.pattern is not None:
            results.print(
                f"  - {rule.name}: it says otherwise on {rule.pattern}",
                highlight=False,
                markup=False,
            )


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
