"""``al.discover``: an algorithm from runs of a black box."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from msgspec import structs
from rich.console import RenderableType

from algolens.algorithms import (
    Algorithm,
    Declaration,
    import_file,
    refuse_python,
)
from algolens.api.checking import compare
from algolens.api.executing import find_subject, with_options
from algolens.discovery import (
    AlgorithmOracle,
    BlackBox,
    Discovery,
    Limits,
    Oracle,
    RecordedRuns,
    Recorder,
)
from algolens.discovery import discover as discovered_from
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.names import fields_as_in
from algolens.discovery.oracle import NetworkOracle
from algolens.discovery.source import source_of
from algolens.disk import check_free, write_file
from algolens.engines.program import Program
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.experiment.model import Model
from algolens.limits import RUNS, SECONDS, SEED, TRIED_NODES
from algolens.logic.names import name_objection
from algolens.proofs.equality.comparing import ProgramComparison
from algolens.proofs.equality.renaming import renamed
from algolens.text.display import Shown


@dataclass(frozen=True, eq=False, repr=False)
class Discovered(Shown):
    """The result of ``al.discover``: an algorithm, and the evidence for it.

    ``print`` shows its statements and rules.

    Attributes
    ----------
    discovery : Discovery
        The declaration, the explanation of each decision, and the evidence.
    name : str
        Name of the algorithm.
    """

    discovery: Discovery
    name: str
    same_as: ProgramComparison | None = None
    beside: str = ""  # the declared algorithm that it was compared with

    @property
    def algorithm(self) -> Algorithm:
        """The discovered algorithm, ready to pass to any function that takes one."""
        return self.discovery.algorithm(self.name)

    @property
    def declaration(self) -> Any:
        """Its declaration."""
        return self.discovery.declaration

    @property
    def known(self) -> str:
        """The evidence that the algorithm is correct, in sentences."""
        return self.discovery.known.words()

    def rename(self, **names: str) -> Discovered:
        """Return the same with concepts renamed: ``rename(has_visited_neighbour="is_near")``."""
        return replace(self, discovery=self.discovery.renamed(names))

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the algorithm to a Python file; ``overwrite`` replaces an existing one."""
        file = Path(path)
        check_free(file, overwrite=overwrite)
        discovery = self.discovery
        program = discovery.declaration.program
        text = source_of(discovery.schema, program, self.name, self.known)
        write_file(file, text)
        return file

    def prove(
        self,
        same_as: object,
        *,
        fields: Mapping[str, str] | None = None,
        seconds: float = 60.0,
        progress: Callable[[str], None] | None = None,
    ) -> Discovered:
        """Prove that it takes the same steps as a declared algorithm on every graph.

        Runs cannot show some properties, so these are taken from that algorithm: which inputs,
        self-loops and parallel edges it rejects, where outputs are shown, and the step limit.

        Parameters
        ----------
        same_as
            The name of an algorithm, an ``Algorithm``, or ``my_file.py:MyClass``.
        fields : mapping of str to str, optional
            The trusted algorithm's name for each field that is named differently here; by default,
            such fields are matched by kind and location.
        seconds : float
            CPU seconds for the proof by Z3.
        progress : callable, optional
            Callback for one-line progress messages.
        """
        SECONDS.check(seconds, "seconds")
        known = as_declared(same_as)
        names = fields_as_in(self.discovery.schema, known, fields or {})
        limit = self.discovery.schema.most_steps or known.declaration.most_steps
        program = structs.replace(
            renamed(self.declaration, names).program,
            only_where=known.declaration.only_where,
            endless=known.declaration.endless,
            times=limit.times,
            per=limit.per,
        )
        schema = replace(
            self.discovery.schema,
            loops_matter=known.loops_matter,
            parallel_edges_matter=known.parallel_edges_matter,
        )
        trusted = Program.of(known)
        found = Program.of(algorithm_of(schema, Declaration(program), self.name))
        ours = structs.replace(found, checks=trusted.checks, table=trusted.table)
        compared = compare(ours, trusted, seconds=seconds, progress=progress)
        return replace(self, same_as=compared, beside=known.name)

    def to_json(self) -> dict[str, Any]:
        """Return this as JSON."""
        made, known = {"name": self.name, **self.discovery.to_json()}, self.discovery.known
        if known.fidelity is not None:
            made["fidelity"] = known.fidelity.to_json()
        if self.same_as is not None:
            made["same_as"] = {"algorithm": self.beside, **self.same_as.to_json()}
        return made

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        yield str(self.discovery)
        yield ""
        yield self.known
        if self.same_as is not None:
            yield ""
            yield f"Beside {self.beside}: {self.same_as}"


def discover(
    oracle: Any,
    *,
    name: str | None = None,
    runs: int = 30,
    seconds: float = 300.0,
    seed: int = 0,
    nodes: int = 5,
    final: bool = False,
    exceptions: bool | None = None,
    progress: Callable[[str], None] = lambda _: None,
    **options: int,
) -> Discovered:
    """Discover an algorithm from runs of a black box, without being given concepts or rules.

    Parameters
    ----------
    oracle
        The name of an algorithm, an ``Algorithm`` (its declaration is not read), a
        class or object with ``start(graph)`` and ``step(graph, state)``, the path of a file of
        recorded runs (``runs.json``), ``my_file.py:MyBox``, or a ``Model`` or its folder, whose
        network is then the black box.
    name : str, optional
        Name for the discovered algorithm.
    runs : int
        Number of runs on random graphs that the search begins with.
    seconds : float
        CPU seconds after which the search stops and returns the best answer so far.
    seed : int
        Seed of the random graphs.
    nodes : int
        Test the answer on all graphs of up to this many nodes; at most 5, or 4 for directed graphs.
    final : bool
        Whether to use only inputs and final outputs, and ignore the steps.
    exceptions : bool, optional
        Whether wrong decisions may remain as exceptions; by default, only if runs contradict each
        other or no algorithm explains them all.
    progress : callable
        Callback for one-line progress messages.
    **options
        Options of an algorithm given by name, such as ``k=4``.

    Returns
    -------
    Discovered
        Statements, rules, and the evidence for them.

    Raises
    ------
    AlgoLensError
        If a decision is not explained within the bounds.

    Examples
    --------
    >>> found = discover("bfs", runs=4)
    >>> [one.text for one in found.declaration.statements.values()]
    ['visited', 'some predecessor (visited)']
    """
    box = as_oracle(oracle, options)
    called = name or f"discovered_{box.schema.name}"
    wrong = name_objection(called)
    if wrong is not None:
        raise AlgoLensError(f"{called!r} cannot name an algorithm: {wrong}")
    RUNS.check(runs, "runs")
    SECONDS.check(seconds, "seconds")
    SEED.check(seed, "seed")
    TRIED_NODES.check(nodes, "nodes")
    given = box.episodes if isinstance(box, RecordedRuns) else ()
    limits = Limits(runs, seconds, seed, nodes, progress)
    made = discovered_from(box, given, limits, exceptions=exceptions, final=final)
    return Discovered(made, called)


def as_declared(given: Any) -> Algorithm:
    """The declared algorithm that a user names."""
    made = find_subject(given).algorithm
    if made is None or made.declaration.in_python:
        raise AlgoLensError(
            f"{given!r} is not a declared algorithm: name one, or a class as my_file.py:MyClass."
        )
    refuse_python(made)
    return made


def as_oracle(given: Any, options: dict[str, int]) -> Oracle:
    """What a user names, as an oracle."""
    if isinstance(given, Oracle):
        return given
    if isinstance(given, Recorder):
        return given.oracle()
    text = str(given) if isinstance(given, str | PathLike) else ""
    path, _, called = text.partition(".py:")
    if called:
        module = import_file(Path(f"{path}.py"))
        if not hasattr(module, called):
            raise AlgoLensError(f"{path}.py defines no {called}: name a class that it defines.")
        return as_oracle(getattr(module, called), options)
    if text.endswith(".json") and not Path(text).is_dir():
        return RecordedRuns.read(Path(text))
    is_algorithm = isinstance(given, type) and issubclass(given, Algorithm)
    if not (text or is_algorithm or isinstance(given, Algorithm | Model)):
        return BlackBox(given)
    try:
        subject = find_subject(given)
    except DefinitionError as problem:
        raise AlgoLensError(f"{problem} A black box goes by its class: {text}:MyBox.") from problem
    except UnknownNameError as problem:
        raise AlgoLensError(
            f"'{text}' is not a black box: name an algorithm, a class as my_file.py:MyBox, a "
            "model's folder, or a file of runs, runs.json."
        ) from problem
    if subject.algorithm is not None:
        return AlgorithmOracle(with_options(subject.algorithm, options))
    assert subject.find_model is not None
    return NetworkOracle(subject.find_model().network.only(0))
