"""Carrying an experiment out: what it needs, how it is trained, and what is scored."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import torch
from msgspec import to_builtins

from algolens.data import (
    LESS_TO_LEARN,
    MOST_KEPT_NODES,
    DataSets,
    check_different,
    held_out,
    takes_long,
)
from algolens.disk import write_inside
from algolens.engines import Run
from algolens.errors import AlgoLensError, AlgoLensWarning
from algolens.evaluation import (
    Mistake,
    first_mistakes,
    free_run,
    score_network,
    seeds_summary,
)
from algolens.experiment.config import check_experiment
from algolens.experiment.model import CURVES, Model, Place, alone, claim, extract_all, versions
from algolens.graphs.family_sizes import check_drawing
from algolens.graphs.random import Recipe, family_name
from algolens.lazy import require
from algolens.logic.rule_set import RuleSet
from algolens.memory import check_memory
from algolens.models import Network
from algolens.models.network import is_exact
from algolens.processes import Ended, Say, Workers
from algolens.proofs.certify import proof
from algolens.reading import read_columns
from algolens.records import About, Experiment
from algolens.training import Checkpoint, Epoch, Fit

T = TypeVar("T")


def model_scores(
    experiment: Experiment,
    network: Network,
    tests: Mapping[Any, Run | Iterable[Run]],
    rule_sets: Sequence[RuleSet] | None,
    *,
    rules_only: bool = False,
) -> dict[str, Any]:
    """What scores.json holds.

    Parameters
    ----------
    experiment, network
        What was trained, and the networks of all its seeds.
    tests : mapping
        True traces, by the number of nodes.
    rule_sets : sequence of RuleSet, optional
        Of each seed; None where there are none.
    rules_only : bool
        Leaves out the scores of the networks themselves.
    """
    scored = [] if rules_only else [score_network(network, tests)]
    by_seed = {str(size): to_builtins(seeds) for part in scored for size, seeds in part.items()}
    if rule_sets is not None:
        scored.append(score_network(network, tests, rule_sets))
    sizes: dict[str, dict[str, Any]] = {str(size): {"spread": {}} for size in tests}
    for summary in map(seeds_summary, scored):
        for size, values in summary.items():
            sizes[size] |= {**values, "spread": sizes[size]["spread"] | values["spread"]}
    document = {
        "algorithm": experiment.algorithm,
        "preset": experiment.preset,
        "seeds": list(experiment.seeds),
        "given": list(experiment.architecture.given),
        "sizes": sizes,
        "by_seed": by_seed,
    }
    return {name: value for name, value in document.items() if value}


@dataclass(frozen=True, eq=False)
class TestSets:
    """True traces of test graphs, by their number of nodes or a word; and which graphs."""

    __test__ = False  # no test of pytest's

    traces: Mapping[Any, Any]
    graphs: Mapping[str, Any]

    @classmethod
    def of(
        cls, experiment: Experiment, sizes: Sequence[int], graphs: int | None, data_seed: int | None
    ) -> TestSets:
        """Graphs of the experiment's data seed, or of another: then in none of its sets."""
        recipe = replace(experiment.recipe, tested=graphs)
        seed = experiment.data_seed if data_seed is None else data_seed
        own = None if seed == experiment.data_seed else (experiment.data_seed, experiment.recipe)
        traces = held_out(experiment.find_algorithm(), sizes, seed, recipe, apart_from=own)
        counts = {family_name(one): count for one, count in recipe.counts("test").items()}
        return cls(traces, {"data_seed": seed, "fresh": own is not None, "of_each_size": counts})

    def score(
        self,
        trained: Model,
        network: Network,
        *,
        rules_only: bool = False,
        done: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        """The scores of a model's network, on the device where it is; done: called at each size."""
        experiment, rule_sets = trained.experiment, trained.rule_sets
        if rule_sets is None and experiment.architecture.bottleneck:
            extractions = extract_all(network, experiment.data(tests=False).train)
            rule_sets = [extraction.rule_set for extraction in extractions]
        scores: dict[str, Any] = {}
        sizes: dict[str, Any] = {}
        for size, parts in self.traces.items():
            scores = model_scores(
                experiment, network, {size: parts}, rule_sets, rules_only=rules_only
            )
            sizes |= scores["sizes"]
            done()
        scores.pop("by_seed", None)
        return {**scores, "sizes": sizes, "test_graphs": self.graphs}

    def mistakes(self, network: Network) -> dict[str, list[dict[str, Any]]]:
        """By size, for each seed how many graphs it gets wrong, and the first mistakes on some."""
        return {
            str(size): [_mistakes(one, seed, traces) for seed, one in alone(network)]
            for size, traces in self.traces.items()
        }


def _mistakes(network: Network, seed: int, traces: Iterable[Run]) -> dict[str, Any]:
    wrong, mistakes = 0, list[Mistake]()
    for trace in traces:
        truth = trace.to(network.device)
        count, first = first_mistakes(free_run(network, truth), truth)
        wrong, mistakes = wrong + count, [*mistakes, *first]
    shown = [mistake.to_json() for mistake in mistakes[:MOST_MISTAKES]]
    return {"seed": seed, "graphs_wrong": wrong, "mistakes": shown}


MOST_MISTAKES = 10  # shown, of a seed at a size


# of a weight: itself, its gradient and the two means of AdamW
BYTES_OF_WEIGHT, MATRICES = 16.0, 10
# of a seed, for every star of a batch, or node of its graphs, and every unit of its layers; an
# exact network has a stage for each observation: measured with 1 to 500 seeds, widths to 1,024
BYTES_OF_STAR, BYTES_OF_NODE = 104.0, 100.0


# of every element at every step of a trace, while it is looked at: of a concept, of an output
BYTES_OF_CONCEPT, BYTES_OF_OUTPUT = 8.0, 24.0


def learns_on(experiment: Experiment, device: torch.device) -> torch.device:
    """Where a training runs: an exact network learns on the CPU, where it is proven meanwhile."""
    return torch.device("cpu") if is_exact(experiment.architecture) else device


def tests_at(experiment: Experiment, size: int) -> Recipe:
    """The recipe of a test at a size that a user gives: of large graphs, one of each family."""
    recipe = experiment.recipe
    is_large = size > MOST_KEPT_NODES and size not in recipe.test_sizes
    return replace(recipe, tested=len(recipe.families)) if is_large else recipe


def usual_sizes(experiment: Experiment, truth: Run) -> tuple[int, ...]:
    """The sizes of test graphs where a user gives none: the recipe's, or smaller where runs are
    long and the recipe is not the author's.

    truth: the training set.
    """
    recipe, size = experiment.recipe, experiment.recipe.size
    if recipe.test_sizes != Recipe().test_sizes or not takes_long(truth, size):
        return recipe.test_sizes
    sizes = size, 2 * size
    warnings.warn(
        f"runs of {truth.algorithm.name} are long ({truth.num_steps:,} steps on {size} nodes): it "
        f"is tested on graphs of {sizes[0]} and {sizes[1]} nodes. --sizes gives others (in Python, "
        "sizes=).",
        AlgoLensWarning,
        stacklevel=2,
    )
    return sizes


def check_training(experiment: Experiment, device: torch.device, sizes: Sequence[int] = ()) -> None:
    """Refuses a training that does not fit into memory, or tests that do not.

    sizes: of test graphs, where not the recipe's.
    """
    if experiment.graphs is None:
        recipe = experiment.recipe
        check_drawing(recipe.counts("train"), recipe.size)
        for size in sizes or recipe.test_sizes:
            tests = replace(tests_at(experiment, size), test_sizes=(size,))
            check_drawing(tests.counts("test"), size)
            check_different(experiment.find_algorithm(), tests, experiment.data_seed)
    width, batch = experiment.architecture.width, experiment.schedule.batch_size
    count = len(experiment.seeds)
    needed = count * MATRICES * width * (width + 16) * BYTES_OF_WEIGHT
    if learns_on(experiment, device).type == "cpu":
        if is_exact(experiment.architecture):
            stages = len(experiment.find_algorithm().declaration.predicted)
            needed += count * batch * stages * width * BYTES_OF_STAR
        else:
            graphs = min(batch, sum(experiment.recipe.counts("train").values()))
            needed += count * graphs * experiment.recipe.size * width * BYTES_OF_NODE
    check_memory(
        needed,
        f"training {count:,} networks of width {width:,} with batches of {batch:,}",
        "give fewer seeds, smaller batches or a smaller width",
    )


def check_traces(truth: Run) -> None:
    """Refuses a training whose traces do not fit into memory, by the steps that they took.

    truth: the training set.
    """
    algorithm, graph = truth.algorithm, truth.graph
    declaration = algorithm.declaration
    bytes_of = BYTES_OF_CONCEPT * len(declaration.concepts)
    bytes_of += BYTES_OF_OUTPUT * len(declaration.outputs)
    elements = graph.count(declaration.location)
    check_memory(
        truth.num_steps * elements * bytes_of,
        f"learning {algorithm.name} from {graph.num_graphs:,} runs of up to {truth.num_steps:,} "
        f"steps on {graph.num_nodes:,} nodes",
        LESS_TO_LEARN,
    )


def find_device(name: str) -> torch.device:
    """The device of a name: ``auto`` is CUDA where there is a device, else the CPU."""
    if name not in ("auto", "cpu", "cuda"):
        raise AlgoLensError(f"device '{name}' is none of auto, cpu, cuda.")
    is_there = torch.cuda.is_available()
    if name == "cuda" and not is_there:
        raise AlgoLensError("device 'cuda': no CUDA device is there. Use cpu, or auto.")
    return torch.device("cuda" if name != "cpu" and is_there else "cpu")


def device_name(device: torch.device) -> str:
    """Return the name of a device, as a model records it."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"


def train_networks(
    experiment: Experiment,
    device: torch.device,
    command: str = "",
    watch: Callable[[Epoch], None] = lambda _: None,
    keep: Path | None = None,
    sizes: Sequence[int] = (),
) -> Model:
    """Trains an experiment, draws its rules and scores it on the test sets.

    Parameters
    ----------
    experiment : Experiment
        What is trained, on what, and how.
    device : torch.device
        Where it is trained; exact networks always learn on the CPU.
    command : str
        What the model says that it was made by.
    watch : callable
        Called after every epoch with an ``Epoch``; what it raises ends the training.
    keep : Path, optional
        A file that keeps the training while it goes. A training that was interrupted goes on.
    sizes : sequence of int
        Of test graphs, where not the recipe's.

    Returns
    -------
    Model
        The networks, with their history, scores and rules.

    Examples
    --------
    A watch that prints the mean loss of all seeds and, after a validation, the share of graphs that
    are right::

        def watch(epoch):
            line = [f"epoch {epoch.epoch}"]
            for name, of_seeds in epoch.losses.items():
                line.append(f"{name} {sum(of_seeds) / len(of_seeds):.3f}")
            if epoch.validation is not None:
                line.append(f"right {[scores.graphs_right for scores in epoch.validation]}")
            print(", ".join(line))
    """
    check_experiment(experiment)
    device = learns_on(experiment, device)
    check_training(experiment, device, sizes)
    with _one_thread(device):
        sets = experiment.data(tests=experiment.graphs is not None)
        check_traces(sets.train)
        if experiment.graphs is None:
            sizes = sizes or usual_sizes(experiment, sets.train)
        parts = sets, experiment.architecture, experiment.schedule, experiment.seeds, device
        fit, checkpoint = Fit(*parts), _checkpoint(experiment, device, keep)
        history = [] if checkpoint is None else checkpoint.resume(fit)
        for epoch in history:
            watch(epoch)
        for epoch in fit:
            history.append(epoch)
            if checkpoint is not None:
                checkpoint.keep(fit, history)
            watch(epoch)
        about: About = {
            "command": command,
            "device": device_name(device),
            "training_seconds": round(fit.seconds, 1),
            "selected_epochs": list(fit.selection.epochs),
            "versions": versions(),
        }
        return finished(experiment, fit.result(), sets, about, history, sizes)


def finished(
    experiment: Experiment,
    network: Network,
    sets: DataSets,
    about: About,
    history: Sequence[Epoch] = (),
    sizes: Sequence[int] = (),
) -> Model:
    """A network whose weights are there, with its rules and its scores on the test sets."""
    extractions = None
    if experiment.architecture.bottleneck:
        extractions = extract_all(network, sets.train)
    model = Model(experiment, network, about, extractions, history=list(history))
    tests: dict[Any, Run | Iterable[Run]] = dict(sets.tests)
    for size in sizes:
        algorithm, recipe = experiment.find_algorithm(), tests_at(experiment, size)
        tests |= held_out(algorithm, (size,), experiment.data_seed, recipe)
    unproven = None
    if model.is_provable:
        unproven = [sum(check.failures for check in proof(one)) for _, one in alone(network)]
    scores = model_scores(experiment, network, tests, model.rule_sets)
    return replace(model, scores=scores, unproven=unproven)


@contextmanager
def _one_thread(device: torch.device) -> Iterator[None]:
    """On a CPU one thread: these products are small, and a second mostly waits for the first."""
    before = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def train_into(
    place: Place,
    experiment: Experiment,
    device: torch.device,
    command: str,
    watch: Callable[[Epoch], None],
    sizes: Sequence[int] = (),
) -> Model:
    """Trains an experiment into a claimed folder; a training that was interrupted goes on."""
    trained = train_networks(experiment, device, command, watch, unfinished(place.folder), sizes)
    trained.write(place)
    unfinished(place.folder).unlink(missing_ok=True)
    return trained


def train_to_folder(
    folder: Path,
    experiment: Experiment,
    device: torch.device,
    command: str,
    watch: Callable[[Epoch], None],
    sizes: Sequence[int] = (),
    *,
    overwrite: bool = False,
    workers: Workers | None = None,
) -> Model:
    """Trains an experiment into a folder; overwrite also starts an unfinished training anew.

    workers: where it is trained, if not in this process.
    """
    check_training(experiment, device, sizes)
    with claim(folder, overwrite=overwrite) as place:
        if overwrite and unfinished(folder).is_file():
            unfinished(folder).unlink()
        kept = epochs_kept(folder, experiment, device)
        if kept:
            how_far = f"epoch {kept} of {experiment.schedule.epochs}"
            warnings.warn(
                f"going on after {how_far}, as kept in {unfinished(folder)}.",
                AlgoLensWarning,
                stacklevel=2,
            )
        if workers is None:
            return train_into(place, experiment, device, command, watch, sizes)
    folder = folder.absolute()
    work = {folder.name: (folder, experiment, device, command, tuple(sizes), overwrite)}
    with closing(workers.messages(work, _train_there, folder.parent)) as messages:
        for _, message in messages:
            if isinstance(message, Model):
                trained = message
            elif not isinstance(message, Ended):
                watch(message)
    return trained


def _train_there(
    folder: Path,
    experiment: Experiment,
    device: torch.device,
    command: str,
    sizes: Sequence[int],
    overwrite: bool,
    say: Say,
) -> None:
    """A training in another process, which says its epochs and then what it leaves."""
    with claim(folder, overwrite=overwrite) as place:
        say(train_into(place, experiment, device, command, say, sizes))


def unfinished(folder: Path) -> Path:
    """The file beside a model's folder that keeps its training until the model is saved."""
    return folder.with_name(f"{folder.name}.unfinished")


def epochs_kept(folder: Path, experiment: Experiment, device: torch.device) -> int:
    """How many epochs of an unfinished training are kept; another experiment's is refused."""
    checkpoint = _checkpoint(experiment, learns_on(experiment, device), unfinished(folder))
    return 0 if checkpoint is None else checkpoint.epochs()


def _checkpoint(
    experiment: Experiment, device: torch.device, keep: Path | None
) -> Checkpoint | None:
    configuration = {**experiment.to_json(), "device": device.type}
    return None if keep is None else Checkpoint(keep, configuration)


def leave_curves(folder: Path, experiment: Experiment) -> None:
    """Draws how a model was learnt into its folder, where it has a history.

    Where that fails, a warning says so, and nothing else happens, for the model itself is whole.
    """
    try:
        curves, figures = (require(f"algolens.reports.{name}") for name in ("curves", "figures"))
        history = read_columns(folder / "history.csv", ("epoch", "seed"))
        title = f"{experiment.algorithm} ({experiment.preset}): how it was learnt"
        figure = curves.draw_curves(history, experiment.schedule.prune_epoch, title)
        if figure is not None:
            write_inside(folder, CURVES, figures.figure_bytes(figure, "png"))
    except Exception as problem:
        why = str(problem) or type(problem).__name__
        warnings.warn(
            f"the curves could not be drawn ({why}); the model in {folder} is whole.",
            AlgoLensWarning,
            stacklevel=2,
        )
