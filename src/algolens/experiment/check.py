"""An experiment put together and checked, and an algorithm looked over, before any training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from inspect import getmodule, isfunction
from itertools import product
from typing import Any

from torch import nn

from algolens.algorithms import Algorithm
from algolens.algorithms._algorithm import METHODS
from algolens.certification import check_proof
from algolens.certification.proof import most_cases
from algolens.data import GraphSet
from algolens.errors import AlgoLensError, ContractError, UnknownNameError
from algolens.evaluation.reference import Agreement, agreement
from algolens.execution import Run, run_algorithm
from algolens.experiment.config import Experiment, own_network, preset
from algolens.graphs import Graph, sample, stream
from algolens.looks.by_change.plan import ObservationPlan
from algolens.models import Network, add_processor
from algolens.models.network import check_architecture
from algolens.programs import Program
from algolens.protocol import DEFAULT_PRESET, PRESETS
from algolens.training import Schedule


def make_experiment(
    algorithm: Algorithm,
    name: str = DEFAULT_PRESET,
    *,
    seeds: Sequence[int] = (0,),
    schedule: Mapping[str, Any] | None = None,
    width: int | None = None,
    processor: str | None = None,
    self_loops: bool | None = None,
    given: Sequence[str] = (),
    network: str | type[nn.Module] | None = None,
    data_seed: int = 0,
) -> Experiment:
    """A preset's experiment with other settings, checked before anything is drawn or trained.

    Parameters
    ----------
    algorithm : Algorithm
        What is to be learnt, with its options.
    name : str
        The preset.
    seeds : sequence of int
        Of the networks' first weights.
    schedule : mapping, optional
        Settings of the schedule, by name. With other epochs, the pruning epoch moves along.
    width, processor, self_loops : optional
        Of the network; None: as in the preset.
    given : sequence of str
        Concepts that the algorithm always gives; empty: as in the preset.
    network : str or type of nn.Module, optional
        A network of the user's own, in the place of a preset's.
    data_seed : int
        Of the data sets.

    Raises
    ------
    AlgoLensError
        Where a setting is unknown or makes no sense, or where the network cannot learn it.
    """
    if network is not None:
        if name != DEFAULT_PRESET or processor is not None or self_loops is not None:
            raise AlgoLensError(
                "a network of your own comes in the place of a preset's: give no preset, no "
                "processor and no self-loops beside it."
            )
        experiment = own_network(network, algorithm)
    else:
        experiment = preset(name, algorithm)
    if processor is not None and name == "exact":
        raise AlgoLensError(
            "the preset 'exact' has a network of its own, which can be proven: give no processor."
        )
    settings, known = dict(schedule or {}), [field.name for field in fields(Schedule)]
    for setting in settings:
        if setting not in known:
            raise UnknownNameError("setting of the schedule", setting, known)
    # an epoch count that is no number is refused by the schedule
    epochs = replace(Schedule(), epochs=settings.pop("epochs", experiment.schedule.epochs)).epochs
    changed: dict[str, Any] = {
        "width": width,
        "processor": processor,
        "self_loops": self_loops,
        "given": tuple(dict.fromkeys(given)) or None,
    }
    experiment = replace(
        experiment,
        schedule=replace(experiment.schedule.with_epochs(epochs), **settings),
        architecture=replace(
            experiment.architecture,
            **{name: value for name, value in changed.items() if value is not None},
        ),
        seeds=tuple(seeds),
        data_seed=data_seed,
        processor_sha256=experiment.processor_sha256
        if processor is None
        else add_processor(processor),
    )
    check_experiment(experiment)
    return experiment


def check_experiment(experiment: Experiment) -> None:
    """Raises an error where an experiment cannot be carried out, and says what can be."""
    wrong = training_objection(experiment)
    if wrong is not None:
        raise ContractError(f"{wrong} {_advice(experiment, wrong)}")
    # a network of one seed is built, so that a processor that there is not, or that cannot be made,
    # is named by now
    algorithm = experiment.find_algorithm()
    network = Network(algorithm, experiment.architecture, experiment.seeds[:1])
    if next(network.parameters(), None) is None:
        raise AlgoLensError(
            f"the network '{experiment.architecture.processor}' has no weights, so there is "
            "nothing to train: wrap it as it is, with al.wrap or `algolens wrap`."
        )
    declaration, schedule = algorithm.declaration, experiment.schedule
    for name in schedule.concept_weights:
        if name not in declaration.concepts:
            raise UnknownNameError(f"concept of {algorithm.name}", name, declaration.concepts)
    for name, weights in schedule.hint_weights.items():
        if name not in declaration.hints:
            raise UnknownNameError(f"hint of {algorithm.name}", name, declaration.hints)
        labels = declaration.hints[name].kind.labels
        if set(weights) != set(labels):
            came, wanted = ", ".join(weights) or "none", ", ".join(labels)
            raise AlgoLensError(
                f"'hint_weights' of the schedule has for '{name}' the classes {came}: give "
                f"{wanted or 'none, for it has no classes'}."
            )


def training_objection(experiment: Experiment) -> str | None:
    """What keeps the network from learning the algorithm or its proof from being tried, if any."""
    algorithm = experiment.find_algorithm()
    try:
        check_architecture(algorithm, experiment.architecture)
        check_proof(algorithm, experiment.architecture)
    except ContractError as problem:
        return str(problem)
    return None


def objections(algorithm: Algorithm, given: tuple[str, ...] = ()) -> dict[str, str | None]:
    """For every preset of an algorithm, what keeps it from learning that; None: nothing.

    Parameters
    ----------
    algorithm : Algorithm
        What is to be learnt.
    given : tuple of str
        Concepts that are to be given, where not those of the preset.
    """
    by_preset = {}
    for name in PRESETS:
        try:
            made = preset(name, algorithm)
        except AlgoLensError:
            continue  # there is no such preset for this algorithm
        architecture = replace(made.architecture, given=given or made.architecture.given)
        by_preset[name] = training_objection(replace(made, architecture=architecture))
    return by_preset


def _advice(experiment: Experiment, wrong: str) -> str:
    """What learns the algorithm, or that nothing does and why."""
    algorithm, given = experiment.find_algorithm(), experiment.architecture.given
    by_preset = objections(algorithm, given)
    settings = [f"{name}={value}" for name, value in experiment.options.items()]
    settings += [f"{name} given" for name in given]
    what = " with ".join(filter(None, [algorithm.name, ", ".join(settings)]))
    learning = _without_objection(by_preset)
    if learning:
        own = ", with its own processor" if experiment.preset in learning else ""
        return f"What learns {what}: the preset {_either(learning)}{own}."
    reasons: dict[str, list[str]] = {}
    for name, problem in by_preset.items():
        if problem is not None and problem != wrong:
            reasons.setdefault(problem.rstrip("."), []).append(name)
    others = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    without = _without_objection(objections(algorithm)) if given else []
    instead = f" With nothing given: the preset {_either(without)}." if without else ""
    return f"No preset learns {what}{f' ({others})' if others else ''}.{instead}"


def _without_objection(by_preset: Mapping[str, str | None]) -> list[str]:
    return [name for name, problem in by_preset.items() if problem is None]


def _either(names: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


CLOSE = 0.8  # how much alike names are, from 0 to 1, of which one may be meant by the other
SIZES = (2, 5, 8, 12)  # nodes of the graphs that an algorithm is tried on
EACH = 5  # so many of every family and size


@dataclass(frozen=True, eq=False)
class Review:
    """What was found of an algorithm."""

    algorithm: Algorithm
    presets: dict[str, str | None]  # what keeps each from learning it; None where nothing does
    # of each part of a proof, at most so many; None where there is no proof to try
    cases: dict[str, int] | None
    example: Run | None  # on one small graph
    graphs: int  # so many random graphs it was run on
    given: int  # and so many of the user's own
    # of them, so many were cut short: they asked for another step when they had taken the most
    at_limit: int
    agreement: Agreement | None  # with its reference, where it has one
    problems: tuple[str, ...]  # what is wrong; empty where nothing is
    notices: tuple[str, ...]  # what is not wrong, and may not be meant

    @property
    def learnt_by(self) -> list[str]:
        """The presets that learn it."""
        return _without_objection(self.presets)


def review(algorithm: Algorithm, own: Sequence[GraphSet] = ()) -> Review:
    """Looks an algorithm over, in a second or two: nothing is trained. own: graphs of the user."""
    presets, problems = objections(algorithm), []
    if not _without_objection(presets):
        reasons = "; ".join(dict.fromkeys(filter(None, presets.values())))
        problems.append(f"no preset learns it: {reasons}")
    example, graphs, at_limit, agreed = None, 0, 0, None
    given = sum(part.graph.num_graphs for part in own)
    try:
        example = _run(algorithm, example_graph(directed=algorithm.recipe.directed))
        for run in _trials(algorithm, own):
            graphs += run.graph.num_graphs
            at_limit += int(run.is_cut_short.sum())
            if agreed is None or agreed.difference is None:
                agreed = _joined(agreed, _agreement(run))
        # with a reference, it may be what is meant
        if at_limit and (agreed is None or agreed.difference is not None):
            which = f"{graphs - given} random graphs{f' and {given} of yours' if given else ''}"
            problems.append(
                f"on {at_limit} of {which} it is cut short: it needs another "
                "step when it has taken the most that it may. Declare more, as in "
                "most_steps=Limit(2, Location.EDGE), or let 'continues' end."
            )
        if agreed is not None and agreed.difference is not None:
            problems.append(f"it differs from its reference: {agreed.difference}.")
    except AlgoLensError as problem:
        problems.append(f"it does not run on {'these' if given else 'random'} graphs: {problem}")
    cases = None
    if presets.get("exact", "") is None:
        exact = preset("exact", algorithm)
        declaration = exact.find_algorithm().declaration
        cases = most_cases(declaration, exact.architecture.message_bits)
    notices = (*_misnamed(type(algorithm)), *_unexported(algorithm), *_passes(algorithm))
    return Review(
        algorithm,
        presets,
        cases,
        example,
        max(0, graphs - given),
        given,
        at_limit,
        agreed,
        tuple(problems),
        notices,
    )


def _trials(algorithm: Algorithm, own: Sequence[GraphSet]) -> Iterator[Run]:
    """Runs on graphs of the user, and then on random ones."""
    for part in own:
        yield run_algorithm(algorithm, part.graph, part.inputs)
    directions = (False, True) if algorithm.graphs == "any" else (algorithm.recipe.directed,)
    for family, directed, size in product(algorithm.recipe.families, directions, SIZES):
        drawn = stream(0, "review", algorithm.name, family, str(size))
        yield _run(algorithm, sample(family, size, EACH, drawn, directed=directed))


def _misnamed(cls: type[Algorithm]) -> Iterator[str]:
    """Functions of the author that look like a method of an algorithm, and are none."""
    open_names = [name for name in METHODS if getattr(cls, name) is getattr(Algorithm, name)]
    for name, value in vars(cls).items():
        is_own = isfunction(value) and not name.startswith("_") and name not in vars(Algorithm)
        meant = get_close_matches(name, open_names, 1, CLOSE) if is_own else []
        if meant:
            yield f"nothing calls {name}(): if {meant[0]}() is meant, write def {meant[0]}(...)."
    module = getmodule(cls)
    for name in open_names:
        if isfunction(getattr(module, name, None)):
            yield f"{name}() stands outside of the class, where nothing calls it: move it inside."


def _unexported(algorithm: Algorithm) -> Iterator[str]:
    """What keeps a declared algorithm from being exported as a whole program."""
    if algorithm.declaration.seen is None:
        return
    try:
        Program.of(algorithm).to_sql()
    except AlgoLensError as problem:
        yield f"it cannot be exported: {problem}"


def _passes(algorithm: Algorithm) -> Iterator[str]:
    """What makes a step cost a pass over the graph, and not what changes in it."""
    look = algorithm.declaration.seen
    cost = "a step then costs a pass over all nodes and edges, however little changes in it."
    if look is None:
        yield (
            "what it sees is computed for the whole graph in every step, because perceive() is "
            f"written in Python: {cost}"
        )
        return
    for statement in look.statements:
        obstacle = ObservationPlan.declared(statement).obstacle
        if obstacle is not None:
            yield (
                f"'{statement.name}' is computed for all {statement.location.value}s in every "
                f"step, because {obstacle}: {cost}"
            )


def _run(algorithm: Algorithm, graph: Graph) -> Run:
    inputs = algorithm.sample(graph, stream(1, "review", algorithm.name))
    return run_algorithm(algorithm, graph, inputs)


def _agreement(run: Run) -> Agreement | None:
    try:
        return agreement(run)
    except AlgoLensError:
        raise
    except Exception as problem:
        # it is the user's own function: any error in it is reported to them
        raise AlgoLensError(
            f"reference() failed ({type(problem).__name__}: {problem})."
        ) from problem


def _joined(one: Agreement | None, other: Agreement | None) -> Agreement | None:
    if one is None or other is None:
        return one or other
    compared = tuple(dict.fromkeys(one.compared + other.compared))
    return Agreement(one.graphs + other.graphs, compared, one.difference or other.difference)


# small enough to be read in a figure, with a triangle, a square and a node of one neighbour
EXAMPLE_NODES = "abcdef"
EXAMPLE_EDGES = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 4), (2, 4))


def example_graph(*, directed: bool = False) -> Graph:
    """The graph of examples; directed, each edge leads from the earlier letter to the later."""
    graph = Graph.pack([len(EXAMPLE_NODES)], EXAMPLE_EDGES, directed=directed)
    return replace(graph, names=tuple(EXAMPLE_NODES))
