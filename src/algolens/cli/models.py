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
    """Train networks for an algorithm, or use one of yours.

    They are selected on validation, and scored on the test sets. Repeat the command to go on after
    an interruption. With --weights, or --epochs 0 for a network that has none, a network of yours
    is taken up as it is: its rules are drawn, and it is scored.

    Examples: `algolens train bfs --preset paper --seeds 0-4 --epochs 60` and `algolens train bfs
    --preset paper --graphs town`

    Options
    -------
    algorithm
        The algorithm: see `algolens list`; or a file of yours, `FILE.py` or `FILE.py:CLASS`.
    preset
        `exact`: no memory, messages of bits, fresh data: what it does on graphs of any size can be
        proven; `paper`: a bottleneck after the paper's, tuned: with L1 and pruning where the paper
        has them, and another schedule; `algolens list` says what departs; `paper-literal`: a
        bottleneck after the paper's in every setting, as its text and its authors' code have them;
        `paper-unregularised`: the same without L1 and pruning, after the paper's ablation;
        `standard`: no bottleneck, after the paper's baseline; `oracle`: the preset `paper` with a
        concept always given by the algorithm, after the paper's oracle study.
    seeds
        Seeds of the networks, trained side by side, as in `0-4`.
    epochs
        Epochs, where not the preset's; the pruning epoch moves along.
    processor
        Another processor: a convolution of PyTorch Geometric, as `GATv2Conv`, or a class in a file
        of yours, as `my_file.py:Mine`.
    network
        A network of yours in the place of a preset's: a class in a file, as `my_file.py:MyNet`,
        which reads graphs of PyTorch Geometric.
    weights
        Train nothing: take up the network of `--network` with the weights in a file that
        `torch.save(module.state_dict(), ...)` or safetensors wrote.
    set
        Change a setting of the network (`width`, `self_loops`, `given`) or of the schedule, as in
        `beta2=0.95`; a wrong name or value lists what is allowed. May be repeated.
    graphs
        Graphs of yours to train, select and test on: a folder of files, split 10:1:1, or with the
        folders `train`, `validation` and `test`.
    data_seed
        The seed of the data sets: drawn graphs and inputs, and the split.
    sizes
        Numbers of nodes to test at, where not the paper's, as in `20,100,1000`; beyond 500, a graph
        of each family.
    out
        The folder to write; by default `runs/ALGORITHM-PRESET`.
    picture
        Whether to draw how it was learnt, as `curves.png` in the folder.
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

    It runs freely: networks see their own past outputs, nothing of the truth. The formula scores
    put the extracted rules in the place of the concept decoder and of the termination network. Test
    graphs are those of the model's data seed, at any size, or fresh ones.
    Examples: `algolens evaluate runs/bfs-paper --sizes 20,200` and `algolens evaluate
    runs/bfs-paper --data-seed 777 --graphs 800`

    Options
    -------
    sizes
        Numbers of nodes to test at, as in `20,50,100`.
    by
        `network`: all scores, those by rules beside; `rules`: only with the rules deciding, over
        the concepts that the network sees.
    graphs
        How many graphs of each size, shared out evenly among families, where not the paper's; or
        graphs of yours: a folder of files.
    data_seed
        Draw graphs with another seed than the model's: fresh ones, in none of the model's own sets.
    first_mistakes
        Also show where runs first go wrong: step, field, node.
    save
        Also put the scores into the model's folder, as scores-fresh.json: reports show them beside
        the others.
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

    What a concept means is read off an exact network's weights, in the language of looks, and
    compared with what is declared in every case; where they differ, the smallest graph that shows
    it is searched for. Rules are minimised and graded.

    Examples: `algolens explain runs/bfs-paper`, `algolens explain coloring --picture trees.png` and
    `algolens explain runs/coloring-paper --format python > rules.py`

    Options
    -------
    format
        `text` tells all; the others are the rules themselves, to paste, run or check.
    unseen
        Patterns of concepts never seen: whatever makes rules short, or no rule holds there. Of an
        exact network all patterns are read, and none counts as unseen.
    cases
        What an observation means is found for `all` cases that an element of any graph can be in,
        or for those that are `met` in runs on training graphs, where the others may be whatever
        makes it short.
    seed
        The seed whose rules are shown; by default one with the commonest rules.
    picture
        Also draw decision trees of what the network decides: a .png, .svg or .pdf.
    save
        Also write the program to a .json file, for `algolens execute` and `algolens compare`.
    redraw
        Draw the rules anew from the weights, and keep them in the model's folder.
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

    The network's program is read and taught to an exact network, which is proven; then the two are
    compared. So a network that errs gets a verified twin, and an account of its mistakes.

    Example: `algolens distil results/runs/coloring-paper --graphs grid:50 --graphs nx:karate_club`

    Options
    -------
    out
        The folder to write the twin to; by default `runs/NAME-distilled`.
    graphs
        Graphs to compare the two on: a file or a folder of files, a family and a size (`grid:50`),
        or a NetworkX built-in. May be repeated; by default graphs of the algorithm's own families
        at 20, 50 and 100 nodes.
    seed
        The seed of the network, where the model has several.
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
    """Prove what can be proven of a network.

    What is proven holds on every graph; of the rest it is said that it is tested, and how. Writes
    certificate.json and declaration.json into the folder: `python -m algolens.checker MODEL`, or a
    copy of that file alone, checks them again. Exit status 1 where a check fails; its
    counterexample is shown. Examples: `algolens certify coloring`, `algolens certify runs/bfs-exact
    --json` and `algolens certify prim --check-with z3`

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
    """Read an algorithm off a black box: concepts, rules.

    You give no concept and no rule. It finds the fewest features that explain every step, and
    writes them as a file of an algorithm of your own: `check` takes it, and `execute`, `play`,
    `train` and `compare` know it once ALGOLENS_ALGORITHMS names it.

    Examples: `algolens discover my_file.py:MyBox` and `algolens discover runs.json --out mine.py`

    Options
    -------
    oracle
        A class with start and step, as in `my_file.py:MyBox`; a file of recorded runs, `runs.json`;
        a model's folder; or an algorithm, whose concepts are not read.
    out
        The file to write; by default `discovered_NAME.py`, here.
    runs
        Runs on random graphs that the search begins with.
    seconds
        CPU seconds after which the best answer so far is given.
    seed
        The seed of the random graphs.
    nodes
        Try it on all graphs of up to so many nodes.
    final
        Look at inputs and final outputs alone, at no step.
    exceptions
        Whether wrong decisions are left as exceptions. By default they are, where runs contradict
        one another or nothing explains them.
    same_as
        A declared algorithm (`bfs`, or `my_file.py:MyClass`): ask at once for a proof that what is
        found takes the same steps on every graph.
    """
    if out is not None and out.suffix != ".py":
        raise AlgoLensError(f"{out} is no Python file: give a name that ends in .py.")
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
