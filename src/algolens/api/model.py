"""Models loaded, trained, scored, certified, explained and distilled."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text
from torch import Tensor, nn

from algolens.algorithms import (
    OWN,
    Algorithm,
    algorithm_in_file,
    algorithms,
    shipped_folder,
    unknown_algorithm,
)
from algolens.api.executing import find_subject, with_options
from algolens.api.own_data import (
    family_again,
    is_own,
    own_test_sets,
    with_own_graphs,
)
from algolens.api.progress import Board
from algolens.disk import path_of
from algolens.errors import AlgoLensError, ContractError, DefinitionError, brief
from algolens.experiment.config import make_experiment, objections, own_network, preset
from algolens.experiment.explain import (
    Distilled,
    Explanation,
    WhichCases,
    distil_into,
    explain_model,
)
from algolens.experiment.model import (
    Model,
    certificates_json,
    claim,
    extract_all,
    load_model,
    save_rule_sets,
    unchanged,
    versions,
)
from algolens.experiment.review import example_run
from algolens.experiment.train import (
    TestSets,
    check_training,
    find_device,
    finished,
    learns_on,
    leave_curves,
    train_networks,
    train_to_folder,
    unfinished,
)
from algolens.extraction.extraction import Unseen
from algolens.limits import GRAPHS, SEED, SEEDS, SIZE
from algolens.models import Network, load_weights
from algolens.models.own import OwnNetwork
from algolens.models.weight_files import read_tensors
from algolens.processes import find_workers
from algolens.proofs.certificate import Certificate, objection_to_proof, unproven_methods
from algolens.proofs.certify import certify_network
from algolens.proofs.smt import Solver, check_with, obligations, write_obligations
from algolens.protocol import DEFAULT_PRESET
from algolens.records import About
from algolens.text.display import Shown, in_notebook
from algolens.text.learnt import graphs_note, mistakes_table, scores_table
from algolens.text.outcome import count_in_words
from algolens.training import Epoch


def load(
    what: str | PathLike[str],
    *,
    algorithm: type[Algorithm] | Algorithm | None = None,
    network: type[nn.Module] | None = None,
) -> Model:
    """Load the model that ships for an algorithm, or one of your own.

    Parameters
    ----------
    what : str or path
        The algorithm's name, or a model's folder.
    algorithm : type of Algorithm, optional
        The algorithm's class, if no file known to the library defines it, as in a notebook.
    network : type of nn.Module, optional
        The class of your own network. By default, the file that defines it is run.

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
    """Return a model, given the model, its folder, or the name of one that ships."""
    if isinstance(given, Model):
        return given
    if isinstance(given, str | PathLike):
        return load(given)
    raise AlgoLensError(
        f"a model is what al.load or al.train gives, or its folder; a {type(given).__name__} came."
    )


@dataclass(frozen=True, eq=False, repr=False)
class Certified(Shown):
    """The result of ``al.certify``: true if every seed is proven correct.

    ``print`` shows every check and all assumptions.

    Attributes
    ----------
    certificates : tuple of Certificate
        The certificate of each seed.
    solver : mapping, optional
        The verdict of a solver that rechecked the proof.
    """

    certificates: tuple[Certificate, ...]
    solver: Mapping[str, Any] | None = None

    def __bool__(self) -> bool:
        failed = self.solver is not None and self.solver["failed"]
        return not failed and all(certificate.proven for certificate in self.certificates)

    def judged(self, model: Model, judge: Solver, board: Board) -> Certified:
        """Return the same with a solver's verdict on every proof obligation of the model."""
        every = [one for network in model.alone for one in obligations(network)]
        title = f"{model.algorithm.name}, by {judge.package}"
        with board.counting(title, len(every), "obligation") as done:
            answers = check_with(judge, every, lambda _: done())
        failed = [
            {"obligation": answer.obligation.name, "said": answer.said, "found": answer.words()}
            for answer in answers
            if not answer.is_shown
        ]
        solver = {"name": judge.package, "version": judge.version, "obligations": len(every)}
        return replace(self, solver={**solver, "failed": failed})

    def to_json(self) -> dict[str, Any]:
        """Return what certificate.json holds."""
        judged = {} if self.solver is None else {"solver": self.solver}
        return certificates_json(self.certificates) | judged

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        for certificate in self.certificates:
            verdict, style = ("not proven", "bold red")
            if certificate.proven:
                verdict, style = ("proven right on every graph", "bold green")
            seed = f", seed {certificate.seed}: "
            yield Text.assemble((certificate.algorithm, "bold"), seed, (verdict, style), ".")
            for assumption in certificate.assumptions:
                yield _indented(f"assumed: {assumption}")
            for check in certificate.checks:
                cases = f"{count_in_words(check.cases, 'case')}, {check.failures:,} failed."
                yield Text()
                yield Text.assemble((check.name, "bold"), f" ({check.basis.value}): {cases}")
                yield _indented(check.says)
                if check.counterexample is not None:
                    yield _indented(f"Not so: {check.counterexample}.", "red")
        if self.solver is not None:
            failed, count = self.solver["failed"], self.solver["obligations"]
            verdict, style = ("not shown", "bold red") if failed else SHOWN_AGAIN
            by = f" by {self.solver['name']} {self.solver['version']}"
            how_many = f"{by}: {count - len(failed)} of {count} obligations."
            yield Text.assemble((verdict, style), how_many)
            for entry in failed:
                yield Text(f"  - {entry['obligation']}: {entry['found']}", "red")

    def __repr__(self) -> str:
        said = "proven right on every graph" if self else "not proven"
        return f"Certified({self.certificates[0].algorithm}, {said})"


SHOWN_AGAIN = ("shown once more", "bold green")


def _indented(text: str, style: str = "") -> RenderableType:
    """On any width."""
    return Padding(Text(text, style), (0, 0, 0, 2), expand=False)


def certify(model: Model | str | PathLike[str]) -> Certified:
    """Prove what can be proven about a model on every graph, and test the rest; takes seconds.

    Parameters
    ----------
    model : Model, str or path
        The model, its folder, or an algorithm's name.

    Returns
    -------
    Certified
        The certificates. Nothing is written: ``algolens certify MODEL`` does that.

    Examples
    --------
    >>> certify("bfs")
    Certified(bfs, proven right on every graph)

    Raises
    ------
    ContractError
        If nothing can be proven about this kind of network.
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


def write_smtlib(model: Model, folder: Path) -> Iterator[tuple[int, Path]]:
    """Write the proof obligations of each seed; yield each seed and the folder of its files."""
    for network in model.alone:
        (seed,) = network.seeds
        place = folder if len(model.seeds) == 1 else folder / f"seed-{seed}"
        write_obligations(place, network, list(obligations(network)))
        yield seed, place


def check_seed(trained: Model, seed: int | None) -> None:
    """Raise an error if the model does not have this seed."""
    if seed not in (None, *trained.seeds):
        raise AlgoLensError(
            f"seed {seed} is not in this model; it has {', '.join(map(str, trained.seeds))}."
        )


def explain(
    model: Model | str | PathLike[str],
    *,
    seed: int | None = None,
    cases: str = WhichCases.ALL.value,
    unseen: str = Unseen.DONT_CARE.value,
    redraw: bool = False,
) -> Explanation:
    """Explain a model: what its concepts mean, and which rules it decides by.

    Parameters
    ----------
    model : Model, str or path
        The model, its folder, or an algorithm's name.
    seed : int, optional
        The seed whose rules to show; by default, one with the most common rules.
    cases : str
        Which cases meanings must fit: ``all`` that can occur in any graph, or those ``met`` in
        runs.
    unseen : str
        How to treat patterns never seen: as ``dont-care``, or so that no rule holds there
        (``negative``). For an exact network, all patterns are read.
    redraw : bool
        Whether to extract the rules again from the weights, and save them in the model's folder.

    Returns
    -------
    Explanation
        Rules, meanings and the program.

    Examples
    --------
    >>> explain("bfs").meanings["has_visited_neighbours"]
    'visited | some predecessor (visited)'
    """
    trained = as_model(model)
    check_seed(trained, seed)
    for what, value, choices in (("cases", cases, WhichCases), ("unseen", unseen, Unseen)):
        words = [choice.value for choice in choices]
        if value not in words:
            raise AlgoLensError(f"{what}={value!r} is not one of {', '.join(words)}.")
    if redraw:
        trained = _redrawn(trained, Unseen(unseen))
    return explain_model(trained, Unseen(unseen), seed, WhichCases(cases))


def _redrawn(model: Model, unseen: Unseen) -> Model:
    """The model with its rules extracted again and saved next to its weights."""
    folder = model.folder
    if folder is None or model.ships:
        raise AlgoLensError(
            "--redraw: what came with the package stays as it came. Leave it out, or give a folder "
            f"for {model.algorithm.name}."
        )
    if not model.experiment.architecture.bottleneck:
        raise AlgoLensError(
            "--redraw: rules of a network without concepts are not kept, and are drawn anew every "
            "time. Leave it out."
        )
    with unchanged(folder):
        own = model.experiment.own
        trained = load_model(folder, own)
        truth = trained.experiment.data(tests=False).train
        save_rule_sets(folder, trained.network, extract_all(trained.network, truth, unseen))
        return load_model(folder, own)


SIZES = (20, 50, 100)  # of the graphs where none are given


def distil(
    model: Model,
    folder: Path,
    graphs: Sequence[Any] | None,
    seed: int | None,
    board: Board,
    command: str,
    *,
    overwrite: bool,
) -> Distilled:
    """Train an exact network on a network's program, in a folder, and compare the two."""
    check_seed(model, seed)
    algorithm, experiment = model.algorithm, model.experiment
    if algorithm.declaration.in_python:
        raise AlgoLensError(
            f"{algorithm.name} sees in Python here, so no program of it can be found: nothing is "
            "distilled."
        )
    if graphs:
        tests = own_test_sets(experiment, graphs, 0)
    else:
        tests = TestSets.of(experiment, SIZES, None, None)
    epochs = preset("exact", algorithm).schedule.epochs
    with (
        claim(folder, overwrite=overwrite) as place,
        board.training(f"{algorithm.name}, distilled", epochs) as watch,
    ):
        which = model.seeds[0] if seed is None else seed
        return distil_into(place, model, which, tests.traces, command, watch)


# ---- trained, taken up, scored


def train(
    algorithm: Algorithm | type[Algorithm] | str,
    *,
    preset: str = DEFAULT_PRESET,
    seeds: int | Sequence[int] = 0,
    out: str | PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
    network: str | type[nn.Module] | None = None,
    graphs: Any = None,
    family: Any = None,
    directed: bool | None = None,
    data_seed: int = 0,
    sizes: Sequence[int] = (),
    device: str = "auto",
    cluster: str | None = None,
    overwrite: bool = False,
    watch: Callable[[Epoch], None] | None = None,
    progress: bool | Console | None = None,
    picture: bool = True,
    command: str | None = None,
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> Model:
    """Train networks for an algorithm, extract their rules, and score them on test graphs.

    Parameters
    ----------
    algorithm : Algorithm, its class, or str
        What to learn: a name, or a class, which may be defined in a notebook.
    preset : str
        ``exact`` (whose networks can be proven), ``paper`` and others.
    seeds : int or sequence of int
        One seed, or several that train side by side.
    out : path, optional
        A folder to save the model in. An interrupted training in this folder continues.
    options : mapping, optional
        Options of the algorithm, such as ``{"colors": 7}``.
    network : str or type of nn.Module, optional
        Your own network instead of a preset's: its class, or its file and class, such as
        ``"my_file.py:MyNet"``.
    graphs : path, sequence of graphs or mapping, optional
        Your own graphs for training, selection and testing: a folder of files, or a list of graphs
        in any form that ``al.execute`` takes, which are split 10:1:1; or, to choose the split, a
        mapping (or a folder with subfolders) of ``train``, ``validation`` and ``test``.
    family : callable or str, optional
        Instead of ``graphs``, a function that takes a number of nodes and a random generator and
        returns a graph; or its file and name, such as ``"my_file.py:my_family"``.
    directed : bool, optional
        Whether to read these graphs as directed; by default, the graphs decide.
    data_seed : int
        Seed for drawn graphs, for the split, and for inputs that your own graphs lack.
    sizes : sequence of int
        Sizes of test graphs; by default those of the algorithm's recipe.
    device : str
        ``auto`` (CUDA if there is a device), ``cpu`` or ``cuda``; exact networks learn on the
        CPU.
    cluster : str, optional
        A Ray cluster to train on, ``"ray"`` or an address such as ``"ray://head:10001"``; it needs
        ``out``, a folder that all its machines share.
    overwrite : bool
        Whether to replace a model that is in the folder.
    watch : callable, optional
        Called after every epoch with an ``Epoch``.
    progress : bool or Console, optional
        Whether to show progress, or a Rich console to show it on; by default, progress is shown in
        a terminal or notebook.
    picture : bool
        Whether to draw learning curves, as ``curves.png`` in the folder.
    command : str, optional
        The command to record as the model's origin.
    settings, **more
        Settings that override the preset's, by name. For the network: ``width``, ``processor`` (a
        convolution of PyTorch Geometric, or your own as file and class, such as
        ``"my_file.py:Mine"``), ``self_loops`` and ``given`` (concepts that the algorithm always
        supplies). For the schedule: such as ``epochs=60`` (which also scales the pruning epoch) and
        ``learning_rate=0.01``.

    Returns
    -------
    Model
        The trained networks.

    Examples
    --------
    >>> train("bfs", preset="exact", sizes=(20,), progress=False)
    Model(bfs, exact, proven right on every graph)
    """
    if cluster is not None and isinstance(algorithm, str) and OWN.fullmatch(algorithm):
        raise AlgoLensError(
            f"the machines of a cluster do not know {algorithm}: export ALGOLENS_ALGORITHMS with "
            "the whole path of the file, and give the algorithm's name."
        )
    chosen = find_trainable(algorithm, options or {})
    experiment = make_experiment(
        chosen,
        preset,
        seeds=_seeds(seeds),
        network=network,
        data_seed=SEED.check(data_seed, "data_seed"),
        **{**(settings or {}), **more},
    )
    tested = tuple(SIZE.check(size, "one of sizes") for size in _listed(sizes))
    if watch is not None and not callable(watch):
        raise AlgoLensError(
            f"watch={watch!r} should be a function, which is called with every epoch."
        )
    folder = None if out is None else path_of(out, "out=")
    experiment = with_own_graphs(experiment, graphs, family, directed, tested)
    tested = () if family is not None else tested  # its test graphs are of the family
    where = learns_on(experiment, find_device(device))
    workers = None
    if cluster is not None:
        workers = find_workers(None, cluster, gpus=int(where.type == "cuda"))
    if workers is not None and folder is None:
        raise AlgoLensError(
            f"cluster={cluster!r} trains into a folder that its machines share: give it, as out=."
        )
    of_what = f"preset={preset!r}"
    if network is not None:
        of_what = f"network={experiment.architecture.processor!r}"
    command = command or f"al.train({experiment.algorithm!r}, {of_what})"
    if not isinstance(progress, Console):
        is_shown = (in_notebook() or sys.stderr.isatty()) if progress is None else progress
        progress = Console(stderr=True, quiet=not is_shown)
    with (
        Board(progress) as board,
        board.training(
            f"{chosen.name}, {experiment.preset}", experiment.schedule.epochs
        ) as advance,
    ):

        def seen(epoch: Epoch) -> None:
            advance(epoch)
            if watch is not None:
                watch(epoch)

        if folder is None:
            trained = train_networks(experiment, where, command, seen, None, tested)
        else:
            try:
                trained = train_to_folder(
                    folder,
                    experiment,
                    where,
                    command,
                    seen,
                    tested,
                    overwrite=overwrite,
                    workers=workers,
                )
            except KeyboardInterrupt:
                again = "Give the same command again, and it goes on."
                raise KeyboardInterrupt(
                    again if unfinished(folder).exists() else "Nothing was kept."
                ) from None
            if picture:
                leave_curves(folder, experiment)
    return replace(trained, folder=folder)


def find_trainable(given: object, options: Mapping[str, Any]) -> Algorithm:
    """The algorithm to train, with its options."""
    subject = find_subject(given)
    if subject.algorithm is None:
        raise AlgoLensError(
            f"{subject.name} is not an algorithm that can be trained: give its name, an "
            "Algorithm or its class."
        )
    known = algorithms().get(subject.algorithm.name)
    if known is not None and known is not type(subject.algorithm):
        raise DefinitionError(
            f"an algorithm '{known.name}' is there already, and a model of another by that name "
            "could not be told from its own: rename the class's."
        )
    return with_options(subject.algorithm, options)


def _listed(given: Any) -> list[Any]:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    return list(given) if several else [given]


def _seeds(given: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(given, Sized) and not isinstance(given, str):
        SEEDS.check(len(given), "the number of seeds")
    seeds = [SEED.check(one, "one of seeds") for one in _listed(given)]
    if len(set(seeds)) < len(seeds):
        raise AlgoLensError(f"seeds={brief(repr(given))} names a seed twice; give each once.")
    return tuple(seeds)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluated(Shown):
    """The result of ``al.evaluate``: ``print`` shows a table, ``scores`` holds its numbers.

    Attributes
    ----------
    scores : dict
        What ``algolens evaluate --json`` prints; scores are percentages.
    own_seed : int
        Data seed of the model's own sets.
    """

    scores: dict[str, Any]
    own_seed: int

    def __getitem__(self, size: int | str) -> dict[str, Any]:
        """The scores at a size; those on your own graphs are at ``"given"``."""
        sizes = self.scores["sizes"]
        if str(size) not in sizes:
            raise AlgoLensError(
                f"there are no scores for {size} nodes, only for {', '.join(sizes)}."
            )
        return dict(sizes[str(size)])

    def to_json(self) -> dict[str, Any]:
        """The scores."""
        return self.scores

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        yield scores_table(self.scores)
        yield graphs_note(self.scores["test_graphs"], self.own_seed)
        if "first_mistakes" in self.scores:
            yield mistakes_table(self.scores["first_mistakes"])

    def __repr__(self) -> str:
        sizes = ", ".join(self.scores["sizes"])
        at = "on given graphs" if "given" in self.scores["sizes"] else f"at {sizes} nodes"
        return f"Evaluated({self.scores['algorithm']}, {self.scores['preset']}, {at})"


def evaluate(
    model: Model | str | PathLike[str],
    sizes: Sequence[int] = (20, 50, 100),
    *,
    graphs: Any = None,
    family: Any = None,
    directed: bool | None = None,
    data_seed: int | None = None,
    by: str = "network",
    first_mistakes: bool = False,
    device: str | None = None,
    done: Callable[[], None] = lambda: None,
) -> Evaluated:
    """Score a model on test graphs, with each run fed its own previous outputs.

    Parameters
    ----------
    model : Model, str or path
        The model, its folder, or an algorithm's name.
    sizes : sequence of int
        Numbers of nodes; ignored for graphs of your own.
    graphs : int, path or sequence of graphs, optional
        Number of graphs of each size; or your own graphs: a folder of files, or a list of graphs
        in any form that ``al.execute`` takes.
    family : callable or str, optional
        Your own family to draw the graphs from, as in ``al.train``.
    directed : bool, optional
        Whether to read your graphs as directed; by default, the graphs decide.
    data_seed : int, optional
        Seed for fresh graphs, none of which is in the model's own sets, or for inputs that your
        graphs lack.
    by : str
        ``network``, or ``rules`` to let the extracted rules decide instead.
    first_mistakes : bool
        Whether to report where runs first go wrong.
    device : str, optional
        ``auto``, ``cpu`` or ``cuda``; by default, the network's current device.
    done : callable
        Callback after each size.

    Returns
    -------
    Evaluated
        The scores by size; ``print`` shows them as a table.

    Examples
    --------
    >>> evaluate("bfs", sizes=(20,), graphs=7, data_seed=1)["20"]["graphs_right"]
    100.0
    """
    count: Any = graphs if graphs is None or isinstance(graphs, Number) else None
    for size in sizes:
        SIZE.check(size, "one of sizes")
    if count is not None:
        GRAPHS.check(count, "the number of graphs")
    model = as_model(model)
    experiment = model.experiment
    if by == "rules" and not experiment.architecture.bottleneck:
        raise AlgoLensError(
            f"this model has no bottleneck (preset '{experiment.preset}'), so it has no rules to "
            "run by."
        )
    network = model.network if device is None else model.network.to(find_device(device))
    own = None if count is not None else graphs
    if not is_own(own, family, directed):
        family = family_again(experiment, model.folder)
        if family is not None and experiment.own_sets is not None:
            directed = experiment.own_sets.directed
    seed = experiment.data_seed if data_seed is None else SEED.check(data_seed, "data_seed")
    at = tuple(dict.fromkeys(sizes))
    if own is None and family is None:
        sets = TestSets.of(experiment, at, count, data_seed)
    else:
        sets = own_test_sets(experiment, own, seed, directed, family=family, sizes=at, count=count)
    scores = sets.score(model, network, rules_only=by == "rules", done=done)
    scores["by"] = by
    if first_mistakes:
        scores["first_mistakes"] = sets.mistakes(network)
    return Evaluated(scores, experiment.data_seed)


OF_SEED = "perceiver.of_seed.0."  # before the names of a module's weights in a network of one seed


def wrap(
    algorithm: Algorithm | type[Algorithm] | str,
    network: nn.Module | type[nn.Module] | str,
    weights: Mapping[str, Tensor] | str | PathLike[str] | None = None,
    *,
    out: str | PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
    sizes: Sequence[int] = (),
    overwrite: bool = False,
) -> Model:
    """Wrap a network that you have trained as a model: extract its rules and score it.

    Nothing is trained. You can run, explain, score, save and play the model like any other.

    Parameters
    ----------
    algorithm : Algorithm, its class, or str
        The algorithm that the network executes, one step at a time.
    network : nn.Module, its class, or str
        The module; or its class, or its file and class, such as ``"my_file.py:MyNet"``, from which
        it is rebuilt with the weights.
    weights : mapping or path, optional
        The module's ``state_dict()``, or a file of it written by ``torch.save`` or safetensors.
    out : path, optional
        A folder to save the model in.
    options : mapping, optional
        Options of the algorithm, such as ``{"colors": 7}``.
    sizes : sequence of int
        Sizes of test graphs; by default those of the algorithm's recipe.
    overwrite : bool
        Whether to replace a model that is in the folder.

    Returns
    -------
    Model
        The network with its rules.

    Raises
    ------
    AlgoLensError
        If the network's outputs do not match the declaration, the weights do not fit, or the class,
        rebuilt with its weights, does not give the same module.

    Examples
    --------
    >>> class Reach(nn.Module):
    ...     "Breadth-first search by hand."
    ...     def forward(self, data):
    ...         visited, (senders, receivers) = data.x[:, 1], data.edge_index
    ...         near = visited.scatter_reduce(0, receivers, visited[senders], "amax")
    ...         grows = near.new_zeros(data.num_graphs).index_add(0, data.batch, near - visited)
    ...         return {"visited": 9 * near - 4, "goes_on": 9 * grows - 4}
    >>> wrap("bfs", Reach(), sizes=(20,)).scores["sizes"]["20"]["graphs_right"]
    100.0
    """
    if isinstance(network, nn.Module) and weights is not None:
        raise AlgoLensError("a module already has weights: pass weights= only with a class.")
    tested = tuple(SIZE.check(size, "one of sizes") for size in sizes)
    chosen = find_trainable(algorithm, options or {})
    if isinstance(network, nn.Module):
        module, state = network, network.state_dict()
        experiment = own_network(type(network), chosen)
    else:
        module = None
        if isinstance(weights, str | PathLike):
            weights = read_tensors(path_of(weights, "weights="))
        state = dict(weights or {})
        experiment = own_network(network, chosen)
    check_training(experiment, torch.device("cpu"), tested)
    made = Network(experiment.find_algorithm(), experiment.architecture, experiment.seeds)
    if made.decoders:
        raise AlgoLensError(
            f"{made.perceiver.name} gives concepts and has no decide(concepts), so nothing that "
            "is trained decides outputs: add it, or train with network=."
        )
    try:
        load_weights(made, {f"{OF_SEED}{name}": value.cpu() for name, value in state.items()})
    except AlgoLensError as problem:
        said = str(problem).replace(OF_SEED, "")
        raise AlgoLensError(
            f"the weights do not fit {made.perceiver.name}: {said}. They are those of a module "
            "made with what AlgoLens gives its constructor."
        ) from problem
    if module is not None:
        _check_same(copy.deepcopy(module).cpu().eval(), made)
    about: About = {
        "command": f"al.wrap({chosen.name!r})",
        "device": "cpu",
        "versions": versions(),
    }
    sets = experiment.data(tests=not tested)
    wrapped = finished(experiment, made, sets, about, sizes=tested)
    if out is None:
        return wrapped
    return replace(wrapped, folder=wrapped.save(out, overwrite=overwrite))


@torch.no_grad()
def _check_same(module: nn.Module, network: Network) -> None:
    """Raise if the class, rebuilt with the same weights, does not give the same module.

    The saved model holds only weights: other constructor arguments would be lost.
    """
    perceiver, algorithm = network.perceiver, network.algorithm
    assert isinstance(perceiver, OwnNetwork)
    truth = example_run(algorithm)
    graph, inputs = truth.graph, truth.inputs
    ours: Any = perceiver.of_seed[0].eval()
    theirs: Any = module
    for step in range(truth.num_steps + 1):
        state = {name: truth.state(name)[step] for name in truth.start}
        batch = perceiver.encoding(graph, {**inputs, **state})
        given, wanted = theirs(batch.clone()), ours(batch.clone())
        if perceiver.decides:
            concepts = torch.sigmoid(perceiver.head(perceiver.scores(graph, {**inputs, **state})))[
                0
            ]
            given, wanted = given | theirs.decide(concepts), wanted | ours.decide(concepts)
        for name, scores in wanted.items():
            if name not in given or not torch.allclose(given[name], scores, atol=1e-5):
                raise AlgoLensError(
                    f"{perceiver.name}, made anew with the same weights, gives another '{name}' "
                    "than this module: its constructor was given something that AlgoLens does not "
                    "give. Let that be the default, in a subclass say."
                )
