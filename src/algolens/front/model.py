"""A trained network and all that goes with it, as a user has it in hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from algolens.algorithms import Algorithm, algorithms
from algolens.certification import Certificate, certify_network, proof, provable
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.experiment import Trained, TrainedModel, claim, load_model, shipped_folder
from algolens.experiment.place import FILES
from algolens.front.arguments import path_of
from algolens.front.display import Shown
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.terminal.outcome import count_in_words

if TYPE_CHECKING:
    from algolens.front.evaluated import Evaluated
    from algolens.front.execution import Execution
    from algolens.front.explanation import Explanation


class Model(Shown):
    """What ``al.load`` and ``al.train`` give: networks of one or several seeds, their rules, and
    what is proven of them.
    """

    def __init__(
        self, trained_run: TrainedModel, folder: Path | None = None, trained: Trained | None = None
    ) -> None:
        """folder: where it lies, where it does. trained: what its training left, where it comes
        from one.
        """
        self.trained_run, self.folder, self.trained = trained_run, folder, trained

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that it learnt, with the options that it was trained with."""
        return self.network.algorithm

    @property
    def network(self) -> Network:
        """The networks of all seeds, side by side."""
        return self.trained_run.network

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of its networks; the first is the one that runs."""
        return tuple(self.network.seeds)

    @property
    def preset(self) -> str:
        """The preset that it was trained by."""
        return self.trained_run.experiment.preset

    @property
    def rules(self) -> RuleSet | None:
        """The rules that were drawn from the first seed's network; None where there are none."""
        rule_sets = self.trained_run.rule_sets
        return None if rule_sets is None else rule_sets[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What lay in its folder and is not about these weights."""
        return self.trained_run.notes

    @property
    def is_provable(self) -> bool:
        """Whether such a network can be proven right at all: one of the preset exact can."""
        return provable(self.network)

    @cached_property
    def is_proven(self) -> bool:
        """Whether every seed is proven to do what the algorithm declares, on every graph.

        The proof is made now, which takes a fraction of a second: no file is believed.
        """
        alone = (self.network.only(place) for place in range(len(self.seeds)))
        return self.is_provable and not any(
            check.failures for each in alone for check in proof(each)
        )

    @cached_property
    def certificates(self) -> tuple[Certificate, ...]:
        """The certificate of every seed, proven now; none where such a network cannot be proven."""
        network = self.network.cpu()
        return (
            tuple(certify_network(network.only(place)) for place in range(len(network.seeds)))
            if self.is_provable
            else ()
        )

    @property
    def certificate(self) -> Certificate | None:
        """That of the first seed; None where such a network cannot be proven."""
        return self.certificates[0] if self.certificates else None

    def execute(self, graph: Any, *, by: str = "network", **arguments: Any) -> Execution:
        """Runs it on a graph: as ``al.execute``, by network unless said otherwise."""
        from algolens.front.executing import execute

        return execute(self, graph, by=by, **arguments)

    def explain(self, *, seed: int | None = None) -> Explanation:
        """What its concepts mean, and the rules that it decides by: as ``al.explain``."""
        from algolens.front.explanation import explain

        return explain(self, seed=seed)

    def evaluate(
        self,
        sizes: Sequence[int] = (20, 50, 100),
        *,
        graphs: int | None = None,
        data_seed: int | None = None,
    ) -> Evaluated:
        """Scores it on test graphs of these sizes, running freely. graphs: how many of each size.
        data_seed: for fresh ones.
        """
        from algolens.front.evaluated import evaluate

        return evaluate(self, sizes, graphs=graphs, data_seed=data_seed)

    def save(self, folder: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes it into a folder, for ``al.load`` and for every command."""
        place = path_of(folder, "save")
        if self.trained is not None:
            self.trained.save(place, overwrite=overwrite)
        elif self.folder is None:
            raise AlgoLensError(
                "this model was made by hand, and holds no history of a training: save it with "
                "algolens.experiment."
            )
        else:
            there = {
                name: (self.folder / name).read_bytes()
                for name in FILES
                if (self.folder / name).is_file()
            }
            with claim(place, overwrite=overwrite) as claimed:
                claimed.install(there)
        return place

    def parts(self) -> Iterator[RenderableType]:
        yield Text(repr(self), style="bold")
        if self.rules is not None:
            yield Text(str(self.rules))
        for note in self.notes:
            yield Text(f"note: {note}", style="dim")

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self.algorithm.options.items())
        seeds = "" if len(self.seeds) == 1 else f", {count_in_words(len(self.seeds), 'seed')}"
        proven = (
            ""
            if not self.is_provable
            else ", proven right on every graph"
            if self.is_proven
            else ", not proven"
        )
        return (
            f"Model({self.algorithm.name}{f' ({options})' if options else ''}, "
            f"{self.preset}{seeds}{proven})"
        )


def load(
    what: str | PathLike[str], *, algorithm: type[Algorithm] | Algorithm | None = None
) -> Model:
    """The model that ships for an algorithm, by its name, or the run in a folder.

    algorithm: the class of the algorithm, where it stands in no file that the library knows: in a
    notebook, say.

    >>> load("coloring")
    Model(coloring (colors=5, bits=32), exact, proven right on every graph)
    """
    if not isinstance(what, str | PathLike):
        raise AlgoLensError(
            "a model goes by the name of an algorithm or by the folder of a run; a "
            f"{type(what).__name__} came."
        )
    name = str(what)
    own = type(algorithm) if isinstance(algorithm, Algorithm) else algorithm
    if own is not None and not (isinstance(own, type) and issubclass(own, Algorithm)):
        raise AlgoLensError(f"algorithm= takes the class of an Algorithm, and {own!r} came.")
    if shipped_folder(name) is None and not Path(name).exists() and "/" not in name:
        if name not in algorithms():
            raise UnknownNameError("algorithm", name, algorithms(), " Or give the folder of a run.")
        raise AlgoLensError(f"no model ships for {name}: train one, with al.train('{name}').")
    folder = (None if own is not None else shipped_folder(name)) or Path(name)
    return Model(load_model(name, own), folder)


def as_model(given: object) -> Model:
    """A model, as a user gives it: itself, its folder, or the name of an algorithm whose model
    ships.
    """
    if isinstance(given, Model):
        return given
    if isinstance(given, str | PathLike):
        return load(given)
    raise AlgoLensError(
        "a model is what al.load or al.train gives, or the folder of a run; a "
        f"{type(given).__name__} came."
    )
