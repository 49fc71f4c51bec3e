"""Algorithms listed, looked over before anything is trained, and compared."""

from __future__ import annotations

import importlib.util
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from algolens.algorithms import (
    Algorithm,
    add_file,
    algorithm_in_file,
    algorithms,
    broken_algorithms,
)
from algolens.algorithms import algorithm as find_algorithm
from algolens.api import By
from algolens.api.executing import find_subject, find_way, with_options
from algolens.api.execution import run_as_json
from algolens.engines.program import Program
from algolens.errors import AlgoLensError, AlgoLensWarning
from algolens.evaluation.rightness import Side
from algolens.lazy import is_instance
from algolens.protocol import SEEDS
from algolens.text.declared import (
    algorithm_facts,
    declared_json,
    declared_lines,
    pseudocode_text,
    purpose,
    purpose_alone,
)
from algolens.text.display import Shown, two_columns
from algolens.text.outcome import count_in_words
from algolens.text.steps import steps

if TYPE_CHECKING:
    from algolens.experiment.review import Review
    from algolens.proofs.equality.comparing import ProgramComparison


def list_algorithms() -> dict[str, str]:
    """List all known algorithms, with a one-line description of each.

    Warns about each file in ``ALGOLENS_ALGORITHMS`` that cannot be read.

    Returns
    -------
    dict of str to str
        The description of each algorithm, by name.

    Examples
    --------
    >>> list_algorithms()["bfs"]
    'Breadth-first search: which nodes can be reached from a source.'
    """
    for problem in broken_algorithms():
        warnings.warn(f"not read: {problem}", AlgoLensWarning, stacklevel=2)
    return {name: purpose(cls()) for name, cls in algorithms().items()}


CITED = re.compile(r" \([^)]*\d{4}\)| \(CLRS.*\)")  # who found it, in a line that says what it is
GROUPS = {
    "searches": "Searches: what can be reached, and how",
    "paths": "Paths: shortest and widest",
    "trees": "Trees: the lightest that join all",
    "parts": "Parts of a graph: what hangs together, and by what",
    "choices": "Choices: colors, sides, sets and pairs",
    "orders": "Orders: before and after, least and next",
    "strings": "Strings: where a pattern stands in a text, and what two words share",
    "tables": "Tables: the best of all ways to split",
    "geometry": "Geometry: points and segments in the plane",
    "others": "Others: your own",
}


@dataclass(frozen=True, eq=False, repr=False)
class Listing(Shown):
    """All known algorithms, with what is proven about their networks."""

    known: tuple[Algorithm, ...]
    broken: tuple[str, ...]  # files that could not be read, and why
    verbose: bool = False  # also what each reads, and what is proven of it

    def to_json(self) -> dict[str, Any]:
        """What ``algolens list --json`` prints."""
        return {"algorithms": list(map(_described, self.known)), "broken": list(self.broken)}

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        for group in dict.fromkeys([*GROUPS, *(algorithm.group for algorithm in self.known)]):
            members = [algorithm for algorithm in self.known if algorithm.group == group]
            heading = GROUPS.get(group, group)
            if members and self.verbose:
                yield two_columns([(each.name, _details(each)) for each in members], heading)
            elif members:
                lines = [
                    f"  {each.name:<22}{CITED.sub('', purpose_alone(each))}" for each in members
                ]
                yield "\n".join([heading, *lines, ""])
        if self.verbose:
            yield (
                "Right: the share of test graphs on which the network that ships is right in every "
                "step and everything. `algolens list --json` says all of this, and how presets "
                "depart from the paper."
            )
        else:
            yield (
                "`algolens play NAME` plays an example. `algolens list -v` says what is proven of "
                "each, `algolens check NAME` what one declares."
            )
        yield from (f"Not read: {problem}" for problem in self.broken)


def listing(*, verbose: bool = False) -> Listing:
    """What ``algolens list`` shows."""
    known = tuple(cls() for cls in algorithms().values())
    return Listing(known, tuple(broken_algorithms()), verbose)


def _details(algorithm: Algorithm) -> Text:
    from algolens.experiment.shipped import Shipped

    ships = Shipped.of(algorithm.name)
    on = "any graph" if algorithm.graphs == "any" else f"{algorithm.graphs} graphs"
    parts = [f"on {on}", f"reads {', '.join(algorithm.declaration.inputs) or 'nothing'}"]
    parts += [*filter(None, [ships.proven_in_words]), *ships.right_in_words]
    said = (f"\n{purpose_alone(algorithm)}\n", ("; ".join(parts), "dim"))
    return Text.assemble((algorithm.title, "bold"), *said)


def _described(algorithm: Algorithm) -> dict[str, object]:
    """An algorithm for machines."""
    from algolens.experiment.config import objections, preset, without_objection
    from algolens.experiment.shipped import Shipped
    from algolens.reproduction.departures import departures_of

    declaration, ships = algorithm.declaration, Shipped.of(algorithm.name)
    declared = declared_json(algorithm)
    same = ("about", "location", "concepts", "outcomes", "rules", "continues", "options")
    presets = without_objection(objections(algorithm))
    departures = {}
    for name in presets:  # trained with as many seeds as the paper's
        experiment = replace(preset(name, algorithm), seeds=tuple(range(SEEDS)))
        departures[name] = [departure.to_json() for departure in departures_of(experiment)]
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "group": algorithm.group,
        "purpose": purpose(algorithm),
        "graphs": algorithm.graphs,
        **{key: declared[key] for key in same},
        "inputs": list(declaration.inputs),
        "outputs": {name: list(kind.classes) for name, kind in declaration.outputs.items()},
        "presets": presets,
        "departures": departures,
        "shipped": ships.proven is not None,
        "proven": ships.proven,
        "cases": ships.cases,
        "graphs_right": dict(ships.right),
    }


def pseudocode(algorithm: Any) -> str:
    """Write an algorithm in pseudo-code: how it starts, what each step does, and when it stops.

    Parameters
    ----------
    algorithm : str, Algorithm, its class, Model, Program or path
        The algorithm, in any form that ``al.execute`` accepts.

    Returns
    -------
    str
        A line for each action of a step, as the algorithm declares it, or else derived from its
        rules and moves.

    Examples
    --------
    >>> print(pseudocode("dijkstra"))
    start: the source is reached, at distance 0; no node is settled
    repeat
        settle the nearest waiting node
        relax its edges: a neighbour takes the path through it if that is shorter
    until no node waits
    """
    subject = find_subject(algorithm)
    return pseudocode_text(find_way(subject, subject.usual, {}).algorithm)


@dataclass(frozen=True, eq=False, repr=False)
class CheckedAlgorithm(Shown):
    """The result of ``al.check``: true if nothing is wrong.

    ``print`` shows what the algorithm declares, and which presets can learn it.

    Attributes
    ----------
    reviews : tuple of Review
        The review of each algorithm; a file may define several.
    """

    reviews: tuple[Review, ...]

    @property
    def problems(self) -> list[str]:
        """The problems found, one line each."""
        return [
            f"{reviewed.algorithm.name}: {wrong}"
            for reviewed in self.reviews
            for wrong in reviewed.problems
        ]

    @property
    def learnt_by(self) -> list[str]:
        """The presets that can learn it."""
        return [name for reviewed in self.reviews for name in reviewed.learnt_by]

    @property
    def is_provable(self) -> bool:
        """Whether a network for it can be proven correct on every graph."""
        return all(reviewed.cases is not None for reviewed in self.reviews)

    def __bool__(self) -> bool:
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """What ``algolens check --json`` prints."""
        reviews = [_review_json(reviewed) for reviewed in self.reviews]
        return {"right": bool(self), "problems": self.problems, "algorithms": reviews}

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        for reviewed in self.reviews:
            yield from _review_report(reviewed)
            yield from (f"Note: {reviewed.algorithm.name}: {notice}" for notice in reviewed.notices)
        for wrong in self.problems:
            yield f"Wrong: {wrong}"
        if not self.problems:
            yield "Nothing is wrong."

    def __repr__(self) -> str:
        names = ", ".join(reviewed.algorithm.name for reviewed in self.reviews)
        return f"CheckedAlgorithm({names}: {'; '.join(self.problems) or 'nothing is wrong'})"


def check(
    algorithm: type[Algorithm] | Algorithm | str | PathLike[str],
    *,
    graphs: Any = None,
    family: Any = None,
    data_seed: int = 0,
    directed: bool | None = None,
    **options: Any,
) -> CheckedAlgorithm:
    """Check an algorithm: its declaration, its correctness, and what can learn it.

    Nothing is trained. If the class has a ``reference``, its results on random graphs are compared
    with those of the algorithm.

    Parameters
    ----------
    algorithm : Algorithm, its class, str or path
        The algorithm, its name, or a Python file that defines it.
    graphs : path or sequence of graphs, optional
        Your own graphs to test it on as well: a folder of files, or a list of graphs in any form
        that ``al.execute`` takes.
    family : callable or str, optional
        A function that takes a number of nodes and a random generator and returns a graph, or its
        name, such as ``"my_file.py:my_family"``; the algorithm is tested on such graphs as well.
    data_seed : int
        Seed for graphs of a family, and for inputs that your graphs do not have.
    directed : bool, optional
        Whether to read these graphs as directed; by default, the graphs decide.
    **options
        Options of the algorithm.

    Returns
    -------
    CheckedAlgorithm
        True if nothing is wrong; ``print`` shows the review.

    Examples
    --------
    >>> checked = check("bfs")
    >>> bool(checked), checked.is_provable
    (True, True)
    """
    chosen = [with_options(one, options) for one in _algorithms_of(algorithm)]
    from algolens.api.own_data import own_trials
    from algolens.experiment.review import review

    own = partial(own_trials, graphs=graphs, family=family, seed=data_seed, directed=directed)
    return CheckedAlgorithm(tuple(review(one, own(one)) for one in chosen))


def _algorithms_of(given: object) -> list[Algorithm]:
    if isinstance(given, type) and issubclass(given, Algorithm):
        return [given()]
    if isinstance(given, Algorithm):
        return [given]
    if not isinstance(given, str | PathLike):
        raise AlgoLensError(
            "an algorithm to check is a class, its name, or a Python file; a "
            f"{type(given).__name__} came."
        )
    path = Path(given)
    if path.suffix != ".py" and not path.is_file():
        named = algorithm_in_file(str(given))
        return [find_algorithm(str(given)) if named is None else named()]
    if not path.is_file():
        raise AlgoLensError(
            f"{path}: there is no such file. `algolens new NAME` writes one to start from."
        )
    return [cls() for cls in add_file(path)]


def _review_json(reviewed: Review) -> dict[str, Any]:
    """A review for machines."""
    algorithm, example, agreement = reviewed.algorithm, None, None
    if reviewed.example is not None:
        rule_set = algorithm.declaration.rule_set
        example = run_as_json(Side(By.ALGORITHM.value, reviewed.example, rule_set))
    if reviewed.agreement is not None:
        agreement = {
            "agrees": reviewed.agreement.difference is None,
            "graphs": reviewed.agreement.graphs,
            "compared": list(reviewed.agreement.compared),
            "difference": reviewed.agreement.difference,
        }
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "pseudocode": pseudocode_text(algorithm).splitlines(),
        "declares": declared_json(algorithm),
        "presets": reviewed.presets,
        "provable": reviewed.cases is not None,
        "proof_cases": reviewed.cases,
        "example": example,
        "random_graphs": reviewed.graphs,
        "given_graphs": reviewed.given,
        "stopped_at_limit": reviewed.at_limit,
        "reference": agreement,
        "problems": list(reviewed.problems),
        "notices": list(reviewed.notices),
    }


def _review_report(reviewed: Review) -> Iterator[RenderableType]:
    """What was found of one algorithm."""
    algorithm = reviewed.algorithm
    yield Text(f"{algorithm.title} ({algorithm.name})", "bold")
    yield from [
        algorithm_facts(algorithm),
        "",
        pseudocode_text(algorithm),
        "",
        *declared_lines(reviewed.algorithm),
        "",
        *_learning(reviewed),
        *_running(reviewed),
        "",
    ]
    if reviewed.example is not None:
        graph = reviewed.example.graph
        nodes, edges = count_in_words(graph.num_nodes, "node"), graph.num_edges
        yield Text(f"An example, on {nodes} and {count_in_words(edges, 'edge')}:", "bold")
        yield from steps(reviewed.example)
    yield ""


def _learning(reviewed: Review) -> Iterator[str]:
    if reviewed.learnt_by:
        yield f"Learnt by the presets: {', '.join(reviewed.learnt_by)}."
    reasons: dict[str, list[str]] = {}
    for name, problem in reviewed.presets.items():
        if problem is not None:
            reasons.setdefault(problem, []).append(name)
    yield from (f"Not by {', '.join(names)}: {reason}" for reason, names in reasons.items())
    if reviewed.cases is None:
        yield "Nothing can be proven of a network for it."
    else:
        parts = ", ".join(f"{name} {count:,}" for name, count in reviewed.cases.items())
        most = f"{sum(reviewed.cases.values()):,}"
        yield f"Provable by the preset exact, in at most {most} cases: {parts}."


def _running(reviewed: Review) -> Iterator[str]:
    from algolens.experiment.review import trials_in_words

    trials = trials_in_words(reviewed.graphs, reviewed.given)
    if trials and reviewed.agreement is None:
        if type(reviewed.algorithm).reference is Algorithm.reference:
            yield f"It ran on {trials}. It has no reference() to be compared with."
        else:
            yield (
                f"It ran on {trials}. Its reference() gave None, so nothing was compared: return a "
                "dictionary by output."
            )
    elif reviewed.agreement is not None and reviewed.agreement.difference is None:
        compared = ", ".join(reviewed.agreement.compared)
        yield f"It agrees with its reference on {trials}, in {compared}."
        if reviewed.at_limit:
            of_all = reviewed.graphs + reviewed.given
            cut = f"On {reviewed.at_limit} of {of_all} it is cut short by its step limit"
            yield f"{cut}; what it gives then is as its reference says."


def compare(
    first: object,
    second: object,
    *,
    seconds: float = 60.0,
    progress: Callable[[str], None] | None = None,
) -> ProgramComparison:
    """Compare two algorithms: prove them equal on every graph, or find the smallest counterexample.

    If they differ in some case but no graph shows it, Z3 tries to prove them equal, provided it is
    installed (``pip install 'algolens[solvers]'``).

    Parameters
    ----------
    first, second : object
        A name, an ``Algorithm`` or its class, a model or its folder, an explanation, or a program
        or its file.
    seconds : float
        CPU seconds for the search for a counterexample, and again for the proof by Z3.
    progress : callable, optional
        Callback for one-line progress messages.

    Returns
    -------
    ProgramComparison
        Whether they are equal, and the evidence for it.

    Examples
    --------
    >>> print(compare("bfs", "bfs"))  # doctest: +NORMALIZE_WHITESPACE
    They are equal: on every graph, both see, decide, move and go on alike.
    That is proven, case by case.
    """
    from algolens.proofs.equality.comparing import compare_programs, declared_otherwise
    from algolens.proofs.equality.proof import prove_equal
    from algolens.proofs.equality.renaming import aligned

    ours, theirs = _program_of(first), _program_of(second)
    compared = compare_programs(ours, theirs, seconds=seconds)
    is_open = not (compared.proven or compared.differ or compared.within_bits)
    is_open = is_open and not (compared.bits or compared.sampled)
    if not is_open or declared_otherwise(ours, theirs) is not None or not has_solver():
        return compared
    found = aligned(theirs.program, ours.program)
    proof = prove_equal(found, theirs.algorithm, seconds, progress)
    shown = replace(
        compared, proven=proof.proven, within_bits=proof.within_bits, unproven=proof.unproven
    )
    is_shown = proof.proven or proof.within_bits
    return replace(shown, invariant=proof.invariant) if is_shown else shown


def has_solver() -> bool:
    """Whether Z3 is installed."""
    return importlib.util.find_spec("z3") is not None


def _program_of(given: object) -> Program:
    """The program of what a user gives."""
    if is_instance(given, "algolens.experiment.explain", "Explanation"):
        explanation: Any = given
        return explanation.program
    subject = find_subject(given)
    if subject.program is not None:
        return subject.program
    if subject.algorithm is not None:
        return Program.of(subject.algorithm)
    if subject.find_model is None:
        raise AlgoLensError(f"{subject.name} has no program to compare.")
    from algolens.experiment.explain import explain_model

    return explain_model(subject.find_model()).program
