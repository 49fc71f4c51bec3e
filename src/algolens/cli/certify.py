"""``algolens certify``: what is proven of a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

import algolens as al
from algolens.cli.options import JSON_OPTION, ModelArgument, load_noted, option
from algolens.cli.output import note, print_json, print_result, remarks, results

if TYPE_CHECKING:
    from algolens.models import Network
    from algolens.proofs.smt.solvers import Solver


def certify_command(
    model: ModelArgument,
    smtlib: Path | None = option(
        None, "Write the proof obligations to an empty folder, as SMT-LIB files for any solver."
    ),
    check_with: str | None = option(
        None, "Have a solver check the proof again: z3 or cvc5.", metavar="SOLVER"
    ),
    json: bool = JSON_OPTION,
) -> None:
    """Prove of a network what can be proven on every graph; say what is tested, and how.

    Writes certificate.json and declaration.json into the folder: `python -m algolens.checker
    MODEL`, or a copy of that file alone, checks them again. Exit status 1 where a check fails; its
    counterexample is shown. Examples: `algolens certify coloring`, `algolens certify runs/bfs-exact
    --json` and `algolens certify prim --check-with z3`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.experiment import save_certificates, save_declaration, shipped_folder
    from algolens.front.progress import Board
    from algolens.proofs.smt.obligations import obligations, write_obligations
    from algolens.proofs.smt.solvers import solver

    # before anything is done: it may not be installed
    judge = None if check_with is None else solver(check_with)
    loaded = load_noted(model, made_anew=True)
    with Board(remarks):
        certified = al.certify(loaded)
    network = loaded.network.cpu()
    alone = [network.only(place) for place in range(len(network.seeds))]
    if smtlib is not None:
        for one in alone:
            (seed,) = one.seeds
            folder = smtlib if len(alone) == 1 else smtlib / f"seed-{seed}"
            write_obligations(folder, one, list(obligations(one)))
            note(f"What has to be shown of seed {seed} is in {folder}.")
    answered = [] if judge is None else [_answered(judge, one) for one in alone]
    if shipped_folder(model) is None:  # what came with the package stays as it came
        save_certificates(Path(model), certified.certificates)
        save_declaration(Path(model), network)
    failed = [entry for answers in answered for entry in answers["failed"]]
    if json:
        document = certified.to_json()
        if judge is not None:
            every = sum(answers["obligations"] for answers in answered)
            solved = {"name": judge.package, "version": judge.version}
            document["solver"] = {**solved, "obligations": every, "failed": failed}
        print_json(document)
    else:
        print_result(certified, json=False)
        for answers in answered:
            _show_answers(answers)
    if failed or not certified:
        raise typer.Exit(1)


def _answered(judge: Solver, network: Network) -> dict[str, Any]:
    """What a solver says of a network's obligations, for machines."""
    from algolens.front.progress import Board
    from algolens.proofs.smt.obligations import obligations
    from algolens.proofs.smt.solvers import check_with

    every = list(obligations(network))
    title = f"{network.algorithm.name}, by {judge.package}"
    with Board(remarks) as board, board.counting(title, len(every), "obligation") as done:
        answers = check_with(judge, every, lambda _: done())
    failed = [
        {"obligation": answer.obligation.name, "said": answer.said, "found": answer.words()}
        for answer in answers
        if not answer.is_shown
    ]
    return {
        "by": f"{judge.package} {judge.version}",
        "obligations": len(answers),
        "failed": failed,
    }


def _show_answers(answers: dict[str, Any]) -> None:
    failed, count = answers["failed"], answers["obligations"]
    verdict = ("not shown", "bold red") if failed else ("shown once more", "bold green")
    shown = f" by {answers['by']}: {count - len(failed)} of {count} obligations."
    results.print(Text.assemble(verdict, shown))
    for entry in failed:
        results.print(f"  - {entry['obligation']}: {entry['found']}", style="red")
