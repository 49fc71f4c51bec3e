"""The commands about networks: trained, scored, explained, distilled, certified, discovered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import algolens as al
from algolens.cli.options import (
    Directed,
    read_numbers,
    read_options,
    read_settings,
    read_sizes,
)
from algolens.cli.output import (
    board,
    command_line,
    load_noted,
    note,
    print_json,
    print_result,
    remarks,
    results,
    say,
)
from algolens.disk import check_free
from algolens.errors import AlgoLensError
from algolens.lazy import Library
from algolens.limits import EPOCHS_OR_NONE, GRAPHS, RUNS, SECONDS, SEED, TRIED_NODES
from algolens.protocol import DEFAULT_PRESET

solvers = Library("algolens.proofs.smt")
models = Library("algolens.api.model")
kept, learnt = Library("algolens.experiment.model"), Library("algolens.text.learnt")
discovering = Library("algolens.api.discovering")
explaining = Library("algolens.experiment.explain")


def train_command(
    algorithm: str,
    *,
    preset: str = DEFAULT_PRESET,
    seeds: str = "0",
    epochs: Annotated[int | None, EPOCHS_OR_NONE] = None,
    processor: str | None = None,
    network: str | None = None,
    weights: Path | None = None,
    set: list[str] | None = None,
    option: list[str] | None = None,
    graphs: str | None = None,
    family: str | None = None,
    directed: Directed = None,
    data_seed: Annotated[int, SEED] = 0,
    sizes: str | None = None,
    cluster: str | None = None,
    device: str = "auto",
    out: Path | None = None,
    overwrite: bool = False,
    picture: bool = True,
    json: bool = False,
) -> None:
    """Train networks for an algorithm, or use your own.

    Networks are selected on validation graphs and scored on test graphs. To resume after an
    interruption, repeat the command. With --weights, or with --epochs 0 for a network that has no
    weights, your own network is used as it is: its rules are extracted, and it is scored.

    Examples: `algolens train bfs --preset paper --seeds 0-4 --epochs 60` and `algolens train bfs
    --preset paper --graphs town`

    Options
    -------
    algorithm
        The algorithm: a name from `algolens list`, or your own file, `FILE.py` or `FILE.py:CLASS`.
    preset
        `exact`: no memory, messages of bits, fresh data, so that its behaviour on graphs of any
        size can be proven; `paper`: a bottleneck after the paper's, tuned, with L1 and pruning
        where the paper has them and another schedule, as `algolens list --json` lists;
        `paper-literal`: a bottleneck after the paper's in every setting of its text and its
        authors' code; `paper-unregularised`: the same without L1 and pruning, after the paper's
        ablation; `standard`: no bottleneck, after the paper's baseline; `oracle`: the preset
        `paper` with one concept always supplied by the algorithm, after the paper's oracle study.
    seeds
        Seeds of the networks, which train side by side, such as `0-4`.
    epochs
        Number of epochs, instead of the preset's; the pruning epoch scales with it.
    processor
        Another processor: a convolution of PyTorch Geometric, such as `GATv2Conv`, or a class in
        your own file, such as `my_file.py:Mine`.
    network
        Your own network instead of a preset's: a class in a file, such as `my_file.py:MyNet`, that
        reads PyTorch Geometric graphs.
    weights
        Train nothing: use the network of `--network` with the weights in a file written by
        `torch.save(module.state_dict(), ...)` or safetensors.
    set
        Change a setting of the network (`width`, `self_loops`, `given`) or of the schedule, such as
        `beta2=0.95`; a wrong name or value prints what is allowed. May be repeated.
    graphs
        Your own graphs for training, selection and testing: a folder of files, split 10:1:1, or
        with subfolders `train`, `validation` and `test`.
    data_seed
        The seed of the data sets: drawn graphs and inputs, and the split.
    sizes
        Numbers of nodes to test at, instead of the paper's, such as `20,100,1000`; beyond 500, one
        graph of each family.
    out
        The folder to write; by default, `runs/ALGORITHM-PRESET`.
    picture
        Whether to draw the learning curves, as `curves.png` in the folder.
    """
    options, tested = read_options(option), () if sizes is None else read_sizes(sizes)
    kind = preset if network is None else "own"
    folder = out or Path("runs") / f"{models.find_trainable(algorithm, {}).name}-{kind}"
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
            command=command_line(),
            settings=read_settings(set, epochs=epochs, processor=processor),
        )
    about, on = trained.about, trained.experiment.graphs
    curves = folder / kept.CURVES
    if json:
        drawn = str(curves) if curves.is_file() else None
        own = {} if on is None else {"trained_on": on}
        print_json({**trained.scores, "folder": str(folder), "picture": drawn, **about, **own})
        return
    results.print(learnt.scores_table(trained.scores))
    if on is not None:
        say(learnt.training_note(on, data_seed))
    if "selected_epochs" in about:
        say(f"Selected epochs: {', '.join(map(str, about['selected_epochs']))}.")
    say(f"Written to {folder}.")
    if trained.unproven is not None:
        say(learnt.proof_in_words(trained.seeds, trained.unproven))
    if curves.is_file():
        say(f"How it was learnt is drawn in {curves}.")


def evaluate_command(
    model: str,
    *,
    sizes: str = "20,50,100",
    by: Literal["network", "rules"] = "network",
    graphs: str | None = None,
    family: str | None = None,
    directed: Directed = None,
    data_seed: Annotated[int | None, SEED] = None,
    first_mistakes: bool = False,
    save: bool = False,
    device: str = "auto",
    json: bool = False,
) -> None:
    """Score a model on test graphs.

    Networks run on their own past outputs and never see the truth. For the formula scores, the
    extracted rules replace the concept decoder and the termination network. Test graphs are those
    of the model's data seed, at any size, or fresh ones. Examples: `algolens evaluate
    runs/bfs-paper --sizes 20,200` and `algolens evaluate runs/bfs-paper --data-seed 777 --graphs
    800`

    Options
    -------
    sizes
        Numbers of nodes to test at, such as `20,50,100`.
    by
        `network`: all scores, including those of the rules; `rules`: only the rules decide, from
        the concepts that the network computes.
    graphs
        Number of graphs of each size, split evenly among families, instead of the paper's; or your
        own graphs: a folder of files.
    data_seed
        Draw graphs with a different seed from the model's: fresh ones that are in none of its own
        sets.
    first_mistakes
        Also show where runs first go wrong: step, field, node.
    save
        Also save the scores in the model's folder, as scores-fresh.json, so that reports show them.
    """
    trained, at = load_noted(model), read_sizes(sizes)
    own_seed = trained.experiment.data_seed
    is_folder = (Path(model) / "experiment.json").is_file()
    is_count = graphs is not None and graphs.isdecimal()
    count = GRAPHS.read(graphs, "--graphs") if graphs and is_count else graphs
    is_given = isinstance(count, str)
    is_fresh = data_seed not in (None, own_seed) and by == "network" and family is None
    if save and (is_given or not is_fresh or not is_folder):
        raise AlgoLensError(
            f"--save keeps scores of a folder's networks on fresh graphs ({model}, --by "
            f"{by}, data seed {own_seed if data_seed is None else data_seed}): give a "
            "model's folder, no --by, no graphs of yours, and --data-seed with another seed than "
            f"the model's, {own_seed}."
        )
    title = f"{trained.algorithm.name}, scored"
    with board() as shown, shown.counting(title, 1 if is_given else len(at), "size") as done:
        evaluated = al.evaluate(
            trained,
            at,
            graphs=count,
            family=family,
            directed=directed,
            data_seed=data_seed,
            by=by,
            first_mistakes=first_mistakes,
            device=device,
            done=done,
        )
    if save:
        scores = dict(evaluated.scores)
        scores.pop("first_mistakes", None)
        kept.save_fresh_scores(Path(model), trained.network, scores)
    print_result(evaluated, json=json)


def explain_command(
    model: str,
    *,
    format: Literal["text", "latex", "markdown", "python", "smtlib", "sql", "json"] = "text",
    unseen: Literal["dont-care", "negative"] = "dont-care",
    cases: Literal["all", "met"] = "all",
    seed: Annotated[int | None, SEED] = None,
    picture: Path | None = None,
    save: Path | None = None,
    overwrite: bool = False,
    redraw: bool = False,
    json: bool = False,
) -> None:
    """Explain what a network learnt, as rules.

    For an exact network, the meaning of each concept is read off the weights as a statement and
    compared with the declaration in every case; if they differ, the command searches for the
    smallest graph that shows it. Rules are minimised and graded.

    Examples: `algolens explain runs/bfs-paper`, `algolens explain coloring --picture trees.png` and
    `algolens explain runs/coloring-paper --format python > rules.py`

    Options
    -------
    format
        `text` shows everything; the other formats hold only the rules, to paste, run or check.
    unseen
        How to treat patterns of concepts never seen: `dont-care` gives the shortest rules; with
        `negative`, no rule holds there. For an exact network all patterns are read, so none is
        unseen.
    cases
        Which cases the meaning of a feature must fit: `all` that can occur in any graph, or only
        those `met` in runs on training graphs, which allows shorter statements.
    seed
        The seed whose rules to show; by default, one with the most common rules.
    picture
        Also draw the network's decisions as decision trees: a .png, .svg or .pdf.
    save
        Also write the program to a .json file, for `algolens execute` and `algolens compare`.
    redraw
        Extract the rules again from the weights, and save them in the model's folder.
    """
    if picture is not None:
        explaining.check_picture(picture, overwrite=overwrite)
    if save is not None:
        explaining.check_program_file(save, overwrite=overwrite)
    chosen = al.load(model) if redraw else load_noted(model)
    is_json = json or format == "json"
    with board():
        explanation = al.explain(chosen, seed=seed, cases=cases, unseen=unseen, redraw=redraw)
        if is_json or format == "text":
            _ = explanation.audit  # for which traces may be drawn
        if picture is not None:
            explanation.save_picture(picture, overwrite=overwrite)
    if picture is not None:
        note(f"The decision trees are drawn in {picture}.")
    if save is not None:
        explanation.save(save, overwrite=overwrite)
        note(f"The program is in {save}: run it with `algolens execute {save} GRAPH`.")
    if is_json or format == "text":
        print_result(explanation, json=is_json)
    else:
        written = "python_source" if format == "python" else format
        typer.echo(getattr(explanation, f"to_{written}")())


def distil_command(
    model: str,
    *,
    out: Path | None = None,
    graphs: list[str] | None = None,
    seed: Annotated[int | None, SEED] = None,
    overwrite: bool = False,
    json: bool = False,
) -> None:
    """Turn a network that errs into a proven one.

    An exact network learns the program that the network computes and is proven correct; then the
    two are compared. The result is a verified twin of the network, and a list of the network's
    mistakes.

    Example: `algolens distil results/runs/coloring-paper --graphs grid:50 --graphs nx:karate_club`

    Options
    -------
    out
        The folder to write the twin to; by default, `runs/NAME-distilled`.
    graphs
        Graphs to compare the two on: a file or a folder of files, a family and a size (`grid:50`),
        or a NetworkX built-in. May be repeated; by default, graphs of the algorithm's own families
        with 20, 50 and 100 nodes.
    seed
        The seed of the network, if the model has several.
    """
    folder = out or Path("runs") / f"{Path(model).name}-distilled"
    with board() as shown:
        distilled = models.distil(
            load_noted(model), folder, graphs, seed, shown, command_line(), overwrite=overwrite
        )
    if json:
        print_json({**distilled.to_json(), "folder": str(folder)})
    else:
        print_result(distilled, json=False)
        say(f"Written to {folder}.")


def certify_command(
    model: str, *, smtlib: Path | None = None, check_with: str | None = None, json: bool = False
) -> None:
    """Prove what can be proven about a network.

    A proof holds on every graph; for the rest, the output says how it was tested. Writes
    certificate.json and declaration.json into the folder; `python -m algolens.checker MODEL`, or a
    copy of that one file, checks them independently. If a check fails, its counterexample is shown
    and the exit status is 1. Examples: `algolens certify coloring`, `algolens certify
    runs/bfs-exact --json` and `algolens certify prim --check-with z3`

    Options
    -------
    smtlib
        Write the proof obligations to an empty folder, as SMT-LIB files for any solver.
    check_with
        Have a solver check the proof again: z3 or cvc5.
    """
    # before anything is done: it may not be installed
    judge = None if check_with is None else solvers.solver(check_with)
    loaded = al.load(model)  # what lies beside the weights is made anew
    with board() as shown:
        certified = al.certify(loaded)
        if smtlib is not None:
            for seed, folder in models.write_smtlib(loaded, smtlib):
                note(f"What has to be shown of seed {seed} is in {folder}.")
        if judge is not None:
            certified = certified.judged(loaded, judge, shown)
    if not loaded.ships:
        kept.save_certificates(loaded.folder, loaded.network, certified.certificates)
    print_result(certified, json=json)
    if not certified:
        raise typer.Exit(1)


def discover_command(
    oracle: str,
    *,
    option: list[str] | None = None,
    out: Path | None = None,
    runs: Annotated[int, RUNS] = 30,
    seconds: Annotated[float, SECONDS] = 300.0,
    seed: Annotated[int, SEED] = 0,
    nodes: Annotated[int, TRIED_NODES] = 5,
    final: bool = False,
    exceptions: bool | None = None,
    same_as: str | None = None,
    overwrite: bool = False,
    json: bool = False,
) -> None:
    """Discover the algorithm of a black box: concepts and rules.

    You supply no concepts and no rules. The command finds the fewest features that explain every
    step, and writes the algorithm to a file for `check`. Once ALGOLENS_ALGORITHMS names the file,
    `execute`, `play`, `train` and `compare` know it too.

    Examples: `algolens discover my_file.py:MyBox` and `algolens discover runs.json --out mine.py`

    Options
    -------
    oracle
        A class with start and step, such as `my_file.py:MyBox`; a file of recorded runs,
        `runs.json`; a model's folder; or an algorithm, whose declaration is not read.
    out
        The file to write; by default, `discovered_NAME.py` in the current folder.
    runs
        Number of runs on random graphs that the search begins with.
    seconds
        CPU seconds after which the search stops with the best answer so far.
    seed
        The seed of the random graphs.
    nodes
        Test the answer on all graphs of up to this many nodes.
    final
        Use only inputs and final outputs, and ignore the steps.
    exceptions
        Whether wrong decisions may remain as exceptions. By default, only if runs contradict each
        other or no algorithm explains them all.
    same_as
        A declared algorithm (`bfs`, or `my_file.py:MyClass`): also try to prove that the discovered
        algorithm takes the same steps on every graph.
    """
    if out is not None and out.suffix != ".py":
        raise AlgoLensError(f"{out} is not a Python file: give a name that ends in .py.")
    box = discovering.as_oracle(oracle, read_options(option))
    trusted = None if same_as is None else discovering.as_declared(same_as)
    if trusted is not None:  # what cannot be compared is told before the search
        discovering.fields_as_in(box.schema, trusted, {})
    path = out or Path(f"discovered_{box.schema.name}.py")
    check_free(path, overwrite=overwrite)
    discovered = al.discover(
        box,
        name=None if out is None else out.stem,
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
