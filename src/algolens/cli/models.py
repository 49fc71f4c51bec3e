"""The commands about networks: trained, scored, explained, distilled, certified, discovered."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from rich.text import Text

import algolens as al
from algolens.cli.options import (
    JSON_OPTION,
    ClusterOption,
    DeviceOption,
    DirectedOption,
    FamilyOption,
    ModelArgument,
    OptionsOption,
    OverwriteOption,
    SetOption,
    TestedSizesOption,
    argument,
    complete_algorithms,
    complete_checkable,
    complete_presets,
    limited,
    load_noted,
    option,
    read_numbers,
    read_options,
    read_settings,
    read_sizes,
)
from algolens.cli.output import note, print_json, print_result, remarks, results, say
from algolens.errors import AlgoLensError
from algolens.limits import EPOCHS_OR_NONE, GRAPHS, RUNS, SECONDS, SEED, TRIED_NODES
from algolens.protocol import DEFAULT_PRESET, PRESETS

if TYPE_CHECKING:
    from algolens.experiment.explain import Distilled
    from algolens.models import Network
    from algolens.proofs.smt.solvers import Solver

PRESETS_IN_SHORT = "; ".join(f"`{name}`: {what}" for name, what in PRESETS.items()) + "."


def train_command(
    algorithm: str = argument(
        ...,
        "The algorithm: see `algolens list`; or a file of yours, `FILE.py` or `FILE.py:CLASS`.",
        autocompletion=complete_checkable,
    ),
    preset: str = option(
        DEFAULT_PRESET,
        PRESETS_IN_SHORT,
        "--preset",
        autocompletion=complete_presets,
    ),
    seeds: str = option("0", "Seeds of the networks, trained side by side, as in `0-4`."),
    epochs: int | None = limited(
        None, EPOCHS_OR_NONE, "Epochs, where not the preset's; the pruning epoch moves along."
    ),
    processor: str | None = option(
        None,
        "Another processor: a convolution of PyTorch Geometric, as `GATv2Conv`, or a "
        "class in a file of yours, as `my_file.py:Mine`.",
    ),
    network: str | None = option(
        None,
        "A network of yours in the place of a preset's: a class in a file, as "
        "`my_file.py:MyNet`, which reads graphs of PyTorch Geometric.",
    ),
    weights: Path | None = option(
        None,
        "Train nothing: take up the network of `--network` with the weights in a file "
        "that `torch.save(module.state_dict(), ...)` or safetensors wrote.",
    ),
    settings: SetOption = None,
    option: OptionsOption = None,
    graphs: str | None = option(
        None,
        "Graphs of yours to train, select and test on: a folder of files, split 10:1:1, "
        "or with the folders `train`, `validation` and `test`.",
        show_default=False,
    ),
    family: FamilyOption = None,
    directed: DirectedOption = None,
    data_seed: int = limited(
        0, SEED, "The seed of the data sets: drawn graphs and inputs, and the split."
    ),
    sizes: TestedSizesOption = None,
    cluster: ClusterOption = None,
    device: DeviceOption = "auto",
    out: Path | None = option(None, "The folder to write; by default `runs/ALGORITHM-PRESET`."),
    overwrite: OverwriteOption = False,
    picture: bool = option(
        True,
        "Whether to draw how it was learnt, as `curves.png` in the folder.",
        "--picture/--no-picture",
    ),
    json: bool = JSON_OPTION,
) -> None:
    """Train networks for an algorithm, select on validation, and score them on the test sets.

    Repeat the command to go on after an interruption. With --weights, or --epochs 0 for a network
    that has none, a network of yours is taken up as it is: its rules are drawn, and it is scored.

    Examples: `algolens train bfs --preset paper --seeds 0-4 --epochs 60` and `algolens train bfs
    --preset paper --graphs town`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.experiment.model import CURVES
    from algolens.front.training import find_trainable
    from algolens.terminal.learnt import scores_table, training_note

    kind = preset if network is None else "own"
    options = read_options(option)
    folder = out or Path("runs") / f"{find_trainable(algorithm, {}).name}-{kind}"
    tested = () if sizes is None else read_sizes(sizes)
    if weights is not None or epochs == 0:
        if network is None:
            raise AlgoLensError("nothing is trained: give the network with --network FILE:CLASS.")
        trained = al.wrap(
            algorithm,
            network,
            weights,
            out=folder,
            options=options,
            sizes=tested,
            overwrite=overwrite,
        )
    else:
        trained = al.train(
            algorithm,
            preset=preset,
            seeds=read_numbers(seeds, "--seeds"),
            out=folder,
            options=options,
            network=network,
            graphs=graphs,
            family=family,
            directed=directed,
            data_seed=data_seed,
            sizes=tested,
            device=device,
            cluster=cluster,
            overwrite=overwrite,
            progress=remarks,
            picture=picture,
            command=f"algolens {' '.join(sys.argv[1:])}",
            settings=read_settings(settings, epochs=epochs, processor=processor),
        )
    about, on = trained.about, trained.experiment.graphs
    curves = folder / CURVES if (folder / CURVES).is_file() else None
    if json:
        drawn = None if curves is None else str(curves)
        own = {} if on is None else {"trained_on": on}
        print_json({**trained.scores, "folder": str(folder), "picture": drawn, **about, **own})
        return
    results.print(scores_table(trained.scores))
    if on is not None:
        say(training_note(on, data_seed))
    if "selected_epochs" in about:
        say(f"Selected epochs: {', '.join(map(str, about['selected_epochs']))}.")
    say(f"Written to {folder}.")
    if trained.unproven is not None:
        say(proof_in_words(trained.experiment.seeds, trained.unproven))
    if curves is not None:
        say(f"How it was learnt is drawn in {curves}.")


def proof_in_words(seeds: Sequence[int], unproven: Sequence[int]) -> str:
    """What a proof found. unproven: of each seed, the cases that are wrong."""
    counts = zip(seeds, unproven, strict=True)
    wrong = ", ".join(f"seed {seed} in {count} cases" for seed, count in counts if count)
    if wrong:
        return (
            f"Not proven right: {wrong}. Train for more epochs; `algolens certify` shows what is "
            "wrong."
        )
    return (
        "Proven right on every graph: `algolens certify` writes the certificate, and says what it "
        "assumes."
    )


def evaluate_command(
    model: ModelArgument,
    sizes: str = option("20,50,100", "Numbers of nodes to test at, as in `20,50,100`."),
    by: Literal["network", "rules"] = option(
        "network",
        "`network`: all scores, those by rules beside; `rules`: only with the rules "
        "deciding, over the concepts that the network sees.",
    ),
    graphs: str | None = option(
        None,
        "How many graphs of each size, shared out evenly among families, where not the "
        "paper's; or graphs of yours: a folder of files.",
    ),
    family: FamilyOption = None,
    directed: DirectedOption = None,
    data_seed: int | None = limited(
        None,
        SEED,
        "Draw graphs with another seed than the model's: fresh ones, in none of the "
        "model's own sets.",
    ),
    mistakes: bool = option(
        False, "Also show where runs first go wrong: step, field, node.", "--first-mistakes"
    ),
    save: bool = option(
        False,
        "Also put the scores into the model's folder, as scores-fresh.json: reports show "
        "them beside the others.",
        "--save",
    ),
    device: DeviceOption = "auto",
    json: bool = JSON_OPTION,
) -> None:
    """Score a model in free running: networks see their own past outputs, nothing of the truth.

    The formula scores put the extracted rules in the place of the concept decoder and of the
    termination network. Test graphs are those of the model's data seed, at any size, or fresh ones.
    Examples: `algolens evaluate runs/bfs-paper --sizes 20,200` and `algolens evaluate
    runs/bfs-paper --data-seed 777 --graphs 800`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.experiment.model import save_fresh_scores
    from algolens.front.progress import Board

    trained, at = load_noted(model), read_sizes(sizes)
    own_seed = trained.experiment.data_seed
    is_folder = (Path(model) / "experiment.json").is_file()
    is_count = graphs is not None and graphs.isdecimal()
    count = GRAPHS.read(graphs, "--graphs") if graphs and is_count else graphs
    is_given = isinstance(count, str)
    if save and (
        is_given
        or family is not None
        or by == "rules"
        or data_seed in (None, own_seed)
        or not is_folder
    ):
        raise AlgoLensError(
            f"--save keeps scores of a folder's networks on fresh graphs ({model}, --by "
            f"{by}, data seed {own_seed if data_seed is None else data_seed}): give a "
            "model's folder, no --by, no graphs of yours, and --data-seed with another seed than "
            f"the model's, {own_seed}."
        )
    title = f"{trained.algorithm.name}, scored"
    with Board(remarks) as board, board.counting(title, 1 if is_given else len(at), "size") as done:
        evaluated = al.evaluate(
            trained,
            at,
            graphs=count,
            family=family,
            directed=directed,
            data_seed=data_seed,
            by=by,
            first_mistakes=mistakes,
            device=device,
            done=done,
        )
    if save:
        scores = dict(evaluated.scores)
        scores.pop("first_mistakes", None)
        save_fresh_scores(Path(model), scores)
    print_result(evaluated, json=json)


class Format(Enum):
    """How rules are written."""

    TEXT = "text"
    LATEX = "latex"
    MARKDOWN = "markdown"
    PYTHON = "python"
    SMTLIB = "smtlib"
    SQL = "sql"
    JSON = "json"


def explain_command(
    model: ModelArgument,
    form: Format = option(
        Format.TEXT,
        "`text` tells all; the others are the rules themselves, to paste, run or check.",
        "--format",
    ),
    unseen: Literal["dont-care", "negative"] = option(
        "dont-care",
        "Patterns of concepts never seen: whatever makes rules short, or no rule holds "
        "there. Of an exact network all patterns are read, and none counts as unseen.",
    ),
    cases: Literal["all", "met"] = option(
        "all",
        "What an observation means is found for `all` cases that an element of any graph "
        "can be in, or for those that are `met` in runs on training graphs, where the "
        "others may be whatever makes it short.",
    ),
    seed: int | None = limited(
        None, SEED, "The seed whose rules are shown; by default one with the commonest rules."
    ),
    picture: Path | None = option(
        None, "Also draw decision trees of what the network decides: a .png, .svg or .pdf."
    ),
    save: Path | None = option(
        None,
        "Also write the program to a .json file, for `algolens execute` and `algolens compare`.",
    ),
    overwrite: OverwriteOption = False,
    redraw: bool = option(
        False,
        "Draw the rules anew from the weights, and keep them in the model's folder.",
        "--redraw",
    ),
    json: bool = JSON_OPTION,
) -> None:
    """The algorithm that a network learnt: what its concepts mean, and the rules it decides by.

    What a concept means is read off an exact network's weights, in the language of looks, and
    compared with what is declared in every case; where they differ, the smallest graph that shows
    it is searched for. Rules are minimised and graded.

    Examples: `algolens explain runs/bfs-paper`, `algolens explain coloring --picture trees.png` and
    `algolens explain runs/coloring-paper --format python > rules.py`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.model import Explanation, check_picture, check_program_file
    from algolens.front.progress import Board

    if picture is not None:
        check_picture(picture, overwrite=overwrite)
    if save is not None:
        check_program_file(save, overwrite=overwrite)
    chosen = load_noted(model, made_anew=redraw)
    is_json = json or form is Format.JSON
    with Board(remarks):
        explanation = al.explain(chosen, seed=seed, cases=cases, unseen=unseen, redraw=redraw)
        if is_json or form is Format.TEXT:
            _ = explanation.explained.audit  # for which traces may be drawn
        if picture is not None:
            explanation.save_picture(picture, overwrite=overwrite)
    if picture is not None:
        note(f"The decision trees are drawn in {picture}.")
    if save is not None:
        explanation.save(save, overwrite=overwrite)
        note(f"The program is in {save}: run it with `algolens execute {save} GRAPH`.")
    writers = {
        Format.LATEX: Explanation.to_latex,
        Format.MARKDOWN: Explanation.to_markdown,
        Format.PYTHON: Explanation.to_python_source,
        Format.SMTLIB: Explanation.to_smtlib,
        Format.SQL: Explanation.to_sql,
    }
    if form in writers and not json:
        typer.echo(writers[form](explanation))
    else:
        print_result(explanation, json=is_json)


SIZES = (20, 50, 100)  # of the graphs where none are given


def distil_command(
    model: ModelArgument,
    out: Path | None = option(
        None, "The folder to write the twin to; by default `runs/NAME-distilled`."
    ),
    graphs: list[str] | None = option(
        None,
        "Graphs to compare the two on: a file or a folder of files, a family and a size "
        "(`grid:50`), or a NetworkX built-in. May be repeated; by default graphs of the "
        "algorithm's own families at 20, 50 and 100 nodes.",
    ),
    seed: int | None = limited(None, SEED, "The seed of the network, where the model has several."),
    overwrite: OverwriteOption = False,
    json: bool = JSON_OPTION,
) -> None:
    """Read a network's program, teach it to an exact network, prove that, and compare the two.

    So a network that errs gets a verified twin, and an account of its mistakes.

    Example: `algolens distil results/runs/coloring-paper --graphs grid:50 --graphs nx:karate_club`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.experiment.config import preset
    from algolens.experiment.explain import distil_into
    from algolens.experiment.model import claim
    from algolens.experiment.train import TestSets
    from algolens.front.model import check_seed
    from algolens.front.own_data import own_test_sets
    from algolens.front.progress import Board

    trained = load_noted(model)
    check_seed(trained, seed)
    algorithm, seeds = trained.network.algorithm, trained.experiment.seeds
    if algorithm.declaration.in_python:
        raise AlgoLensError(
            f"{model}: {algorithm.name} sees in Python here, so no program of it can be found: "
            "nothing is distilled."
        )
    if graphs:
        tests = own_test_sets(trained.experiment, graphs, 0)
    else:
        tests = TestSets.of(trained.experiment, SIZES, None, None)
    folder = out or Path("runs") / f"{Path(model).name}-distilled"
    epochs = preset("exact", algorithm).schedule.epochs
    with (
        claim(folder, overwrite=overwrite) as place,
        Board(remarks) as board,
        board.training(f"{algorithm.name}, distilled", epochs) as watch,
    ):
        command = f"algolens {' '.join(sys.argv[1:])}"
        which = seeds[0] if seed is None else seed
        distilled = distil_into(place, trained, which, tests.traces, command, watch)
    if json:
        print_json({**distilled.to_json(), "folder": str(folder)})
        return
    for line in _in_words(distilled):
        say(line)
    say(f"Written to {folder}.")


def _in_words(distilled: Distilled) -> Iterator[str]:
    yield (
        f"The program of this network for {distilled.algorithm} (seed {distilled.seed}), found on "
        "samples:"
    )
    yield f"\n{distilled.program}\n"
    yield f"Beside the declared algorithm: {distilled.declared}"
    proven = "is proven to do what this program says, on every graph"
    verdict = proven if distilled.certificate.proven else "is NOT proven"
    yield f"The exact network that was taught it {verdict}.\n"
    yield "Where the network that was distilled differs from this twin:"
    for account in distilled.accounts:
        graphs = "1 graph" if account.graphs == 1 else f"{account.graphs} graphs"
        if not account.differing:
            yield f"  {account.name}: nowhere, on {graphs}."
            continue
        yield f"  {account.name}: on {account.differing} of {graphs}."
        for mistake in account.mistakes:
            where = f" of {mistake.at} {mistake.element}" if mistake.element is not None else ""
            yield (
                f"    graph {mistake.graph}, step {mistake.step}: {mistake.field}{where} is "
                f"{mistake.found}, and {mistake.true} by the twin."
            )


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
    from algolens.algorithms import shipped_folder
    from algolens.experiment.model import save_certificates, save_declaration
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


def discover_command(
    teacher: str = argument(
        ...,
        "A class with start and step, as in `my_file.py:MyBox`; a file of recorded runs, "
        "`runs.json`; a model's folder; or an algorithm, whose concepts are not read.",
        autocompletion=complete_algorithms,
    ),
    option: OptionsOption = None,
    out: Path | None = option(None, "The file to write; by default `discovered_NAME.py`, here."),
    runs: int = limited(30, RUNS, "Runs on random graphs that the search begins with."),
    seconds: float = limited(
        300.0, SECONDS, "CPU seconds after which the best answer so far is given."
    ),
    seed: int = limited(0, SEED, "The seed of the random graphs."),
    nodes: int = limited(5, TRIED_NODES, "Try it on all graphs of up to so many nodes."),
    final: bool = option(False, "Look at inputs and final outputs alone, at no step.", "--final"),
    exceptions: bool | None = option(
        None,
        "Whether wrong decisions are left as exceptions. By default they are, where runs "
        "contradict one another or nothing settles them.",
    ),
    same_as: str | None = option(
        None,
        "A declared algorithm (`bfs`, or `my_file.py:MyClass`): ask at once for a proof "
        "that what is found takes the same steps on every graph.",
        autocompletion=complete_algorithms,
    ),
    overwrite: OverwriteOption = False,
    json: bool = JSON_OPTION,
) -> None:
    """Read an algorithm off a black box: the fewest observations that settle every step.

    No concept and no rule is given. What is found is written as a file of an algorithm of your
    own: `check` takes it, and `execute`, `play`, `train` and `compare` know it once
    ALGOLENS_ALGORITHMS names it.

    Examples: `algolens discover my_file.py:MyBox` and `algolens discover runs.json --out mine.py`
    """
    from algolens.discovery.names import fields_as_in
    from algolens.front.discovering import as_declared, as_teacher
    from algolens.front.model import check_free

    name = None if out is None else out.stem
    if out is not None and out.suffix != ".py":
        raise AlgoLensError(f"{out} is no Python file: give a name that ends in .py.")
    box = as_teacher(teacher, read_options(option))
    trusted = None if same_as is None else as_declared(same_as)
    if trusted is not None:
        fields_as_in(box.schema, trusted, {})  # what cannot be compared is told before the search
    path = out or Path(f"discovered_{box.schema.name}.py")
    check_free(path, overwrite=overwrite)
    discovered = al.discover(
        box,
        name=name,
        runs=runs,
        seconds=seconds,
        seed=seed,
        nodes=nodes,
        final=final,
        exceptions=exceptions,
        progress=note,
    )
    if trusted is not None:
        discovered = discovered.prove(trusted, progress=note)
    print_result(discovered, json=json)
    known = discovered.discovery.known
    if known.error is not None:
        written = discovered.save(path.with_name(f"{path.stem}_partial.py"), overwrite=True)
        more = " Give more --seconds." if known.is_late else ""
        note(f"It errs, so it was written as {written}.{more}")
        raise typer.Exit(1)
    written = discovered.save(path, overwrite=True)
    note(
        f"Wrote {written}. Next: algolens check {written}; after export "
        f"ALGOLENS_ALGORITHMS={written}, all commands know {discovered.name}."
    )
