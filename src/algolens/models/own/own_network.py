"""A module of a user's own as a perceiver: it reads a state, and gives scores by name."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Declaration, Values, sha256_of
from algolens.arrays import zeros
from algolens.engines import Run
from algolens.engines.tensors import Running
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import Graph, Location
from algolens.language.fields import Field, Kind, Mask
from algolens.language.fields.values import array_in_words
from algolens.models.architecture import GOES_ON, Architecture, reserved
from algolens.models.own.encoding import Encoding
from algolens.models.own.lessons import StateLessons
from algolens.models.own_classes import SHA256, add_class, first_line, refuse_nan
from algolens.models.perceiver import Perceived, Perceiver

NETWORKS: dict[str, type[nn.Module]] = {}  # of users, by name: FILE.py:CLASS, or :CLASS
# two graphs that every new module is tried on, which also tells lazy layers their widths
TRIED_ON = Graph.pack([3, 2], [(0, 1), (1, 2), (3, 4)]).to("cpu")


@dataclass(frozen=True, eq=False)
class PreparedGraph:
    """What stays the same while a graph is worked on."""

    graph: Graph
    inputs: Values
    running: Running | None  # by which pointers and numbers move, where any do
    found: dict[str, Tensor]  # features of the last state, as the module gave them


class OwnNetwork(Perceiver):
    """A user's module for each seed, which sees the state of every step and remembers nothing.

    Its ``forward`` takes a batch of PyTorch Geometric (``Encoding``) and gives scores by name: of
    all concepts, or else of all outputs; of hints; and of going on. Where it gives concepts, its
    ``decide``, if it has one, gives the outputs' scores from them. Pointers and numbers whose moves
    are declared move so, by what was observed.
    """

    takes_directed = True
    has_termination = False

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        self.declaration, self.bottleneck = declaration, architecture.bottleneck
        self.encoding = Encoding(declaration)
        known = {*declaration.concepts, *declaration.decided, *declaration.moved}
        fed_back = [name for name in declaration.state if name in declaration.concepts]
        beside = [name for name in declaration.predicted if name not in known]
        self.for_head = declaration.concepts if self.bottleneck else tuple(declaration.decided)
        self.beside = tuple(beside if self.bottleneck else [*fed_back, *beside])
        self.of_seed = nn.ModuleList(made(architecture, declaration, seed) for seed in seeds)
        self.name = type(self.of_seed[0]).__name__
        self.decides = self.bottleneck and hasattr(self.of_seed[0], "decide")
        given, *_ = [tried(module, self.encoding) for module in self.of_seed]
        is_named = isinstance(given, Mapping)  # if not, it is refused below
        self.tells_going_on = declaration.terminates and is_named and GOES_ON in given
        self._checked(given, TRIED_ON)
        if self.decides:
            with torch.no_grad():
                self.decide(torch.zeros(len(seeds), 2, len(declaration.concepts)))

    @classmethod
    def objection(cls, algorithm: Algorithm, architecture: Architecture) -> str | None:
        declaration = algorithm.declaration
        if declaration.terminates and GOES_ON in declaration.predicted:
            return f"calls whether to go on '{GOES_ON}', and this algorithm calls something else so"
        for name in declaration.moved:
            if not architecture.bottleneck:
                return f"gives no concepts, and '{name}' moves by what is observed: give concepts"
            if architecture.given:
                return f"lets '{name}' move by what it observes itself, so no concept can be given"
        return reserved(declaration.outputs)

    def facts(self) -> dict[str, Any]:
        facts = {"network": f"{self.name} of the user's own, which sees the state alone"}
        if self.declaration.terminates:
            own = "scores of the network" if self.tells_going_on else "the algorithm's own rule"
            facts["termination"] = f"{own} on the look-ahead"
        return facts

    def prepare(self, graph: Graph, inputs: Values) -> PreparedGraph:
        declaration = self.declaration
        found: dict[str, Tensor] = {}
        running = None
        if declaration.moved:
            instead = {name: partial(_given, found, name) for name in declaration.statements}
            running = Running(declaration.program, graph, instead)
        return PreparedGraph(graph, inputs, running, found)

    def forward(self, prepared: PreparedGraph, state: Values, memory: Tensor | None) -> Perceived:
        scores = self.scores(prepared.graph, {**prepared.inputs, **state})
        moved: Mapping[str, Tensor] = {}
        if prepared.running is not None:
            for name in prepared.running.instead:
                prepared.found[name] = scores[name][0] > 0
            moved = prepared.running.perceive(prepared.inputs, state, self.declaration.moved)
        return Perceived(
            head=self.head(scores),
            hints={name: scores[name] for name in self.beside},
            settled=moved,
            goes_on=scores[GOES_ON] if self.tells_going_on else None,
        )

    def scores(self, graph: Graph, values: Values) -> dict[str, Tensor]:
        """[S, ...] what the modules of all seeds give, by name. values: of inputs and state."""
        batch = self.encoding(graph, values)
        # a module may write into what it is given
        given = [self._checked(module(batch.clone()), graph) for module in self.of_seed]
        return {name: torch.stack([scores[name] for scores in given]) for name in given[0]}

    def head(self, scores: Mapping[str, Tensor]) -> Tensor:
        """[S, N, C] concept logits; without a bottleneck, the scores of outputs side by side."""
        parts = [scores[name] for name in self.for_head]
        return torch.cat([part[..., None] if part.dim() == 2 else part for part in parts], -1)

    def decide(self, concepts: Tensor) -> dict[str, Tensor]:
        modules: Any = self.of_seed
        given = [module.decide(own) for module, own in zip(modules, concepts, strict=True)]
        for scores in given:
            self._check_names(scores, self.declaration.decided, "decide")
        decided = {}
        for name, kind in self.declaration.decided.items():
            shaped = [self._shaped(name, kind, one[name], concepts.shape[1]) for one in given]
            decided[name] = torch.stack(shaped)
        return decided

    def lessons(self, trace: Run, device: torch.device) -> StateLessons:
        return StateLessons(trace, device)

    def _checked(self, given: Any, graph: Graph) -> dict[str, Tensor]:
        """What a module gave, as kinds take it; refused where a name or a shape is another."""
        fields = {name: self.declaration.predicted[name] for name in (*self.for_head, *self.beside)}
        if self.tells_going_on or (self.declaration.terminates and not self.bottleneck):
            fields[GOES_ON] = Field(Location.GRAPH, Mask())
        self._check_names(given, fields, "forward")
        return {
            name: self._shaped(
                name,
                field.kind,
                given[name],
                graph.count(field.location),
                None if field.kind.points_to is None else graph.counts(field.kind.points_to),
            )
            for name, field in fields.items()
        }

    def _check_names(self, given: Any, wanted: Iterable[str], function: str) -> None:
        called = f"{function}() of {self.name}"
        if not isinstance(given, Mapping):
            raise DefinitionError(
                f"{called} gave a {type(given).__name__}: it gives a dict of scores by name, with "
                f"{', '.join(wanted)}."
            )
        missing = [name for name in wanted if name not in given]
        if missing:
            gave = ", ".join(map(str, given)) or "nothing"
            raise DefinitionError(f"{called} gave no '{missing[0]}'; it gave {gave}. Add it.")
        for name in given:
            if name in wanted:
                continue
            if name in self.declaration.concepts:
                raise DefinitionError(
                    f"{called} gave outputs and the concept '{name}': where there are concepts, "
                    "outputs follow from them alone. Give the outputs in decide(concepts), or "
                    "leave the concepts out."
                )
            raise DefinitionError(
                f"{called} gave '{name}', which is none of {', '.join(wanted)}: leave it out."
            )

    def _shaped(
        self, name: str, kind: Kind, value: Any, count: int, places: Tensor | None = None
    ) -> Tensor:
        """Scores as a kind takes them. places: of a pointer, [G] how many each graph has."""
        scores = kind.num_scores if places is None else int(places.max())
        shape = kind.shaped(torch.empty(count, scores, device="meta")).shape
        if isinstance(value, Tensor) and value.is_floating_point():
            refuse_nan(value, f"{self.name} gave '{name}'")
            if value.shape == shape:
                return value
            if value.shape == (count, scores):
                return kind.shaped(value)
        raise DefinitionError(
            f"{self.name} gave '{name}' as {array_in_words(value)}; here its scores are numbers "
            f"of shape {list(shape)}."
        )


def _given(found: Mapping[str, Tensor], name: str, _: object) -> Tensor:
    """A feature as the module gave it, in place of what it says."""
    return found[name]


def made(architecture: Architecture, declaration: Declaration, seed: int) -> nn.Module:
    """A new module of the class that an architecture names; first weights follow from the seed."""
    cls, encoding = NETWORKS[architecture.processor], Encoding(declaration)
    decided, left_out = declaration.decided, {*declaration.concepts, *declaration.outputs}
    offered = {
        "in_channels": encoding.in_channels,
        "edge_dim": encoding.edge_dim,
        "width": architecture.width,
        # of each name, how many scores it has
        "concepts": dict.fromkeys(declaration.concepts, 1),
        "outputs": {name: kind.num_scores for name, kind in decided.items()},
        "hints": {
            name: field.kind.num_scores
            for name, field in declaration.predicted.items()
            if name not in left_out and name not in declaration.moved
        },
    }
    wanted = inspect.signature(cls).parameters
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return cls(**{name: value for name, value in offered.items() if name in wanted})
    except Exception as problem:  # whatever a user's class raises, they should read in one line
        raise DefinitionError(
            f"{cls.__name__} cannot be made ({first_line(problem)}): its constructor is given "
            f"{', '.join(offered)}, those of them that it names; let all others have a default."
        ) from problem


@torch.no_grad()
def tried(module: nn.Module, encoding: Encoding) -> Any:
    """What a module gives on two small graphs; lazy layers are whole then."""
    values = {
        name: zeros(TRIED_ON.count(field.location), field.kind.dtype, "cpu")
        for name, field in encoding.fields.items()
    }
    batch, was_training = encoding(TRIED_ON, values), module.training
    try:
        with torch.random.fork_rng(devices=[]):
            return module.eval()(batch)
    except Exception as problem:  # as above
        raise DefinitionError(
            f"forward() of {type(module).__name__} fails on a graph of three nodes beside one of "
            f"two ({first_line(problem)}); it is given x {list(batch.x.shape)}, edge_index "
            f"{list(batch.edge_index.shape)}, edge_attr {list(batch.edge_attr.shape)} and batch."
        ) from problem
    finally:
        module.train(was_training)


def gives_concepts(algorithm: Algorithm, name: str) -> bool:
    """Whether a network of the user's own has a bottleneck: it gives concepts, and no outputs.

    Parameters
    ----------
    algorithm : Algorithm
        What is to be learnt.
    name : str
        The network's, as ``add_network`` gave it.
    """
    declaration = algorithm.declaration
    module = made(Architecture(processor=name), declaration, 0)
    given = tried(module, Encoding(declaration))
    return not (isinstance(given, Mapping) and any(name in given for name in declaration.decided))


def add_network(
    network: str | type[nn.Module], *, name: str | None = None, sha256: str | None = None
) -> tuple[str, str | None]:
    """Makes a network of the user's own known by a name.

    Parameters
    ----------
    network : str or type of nn.Module
        As in ``my_file.py:MyNet``, from the current folder, or the class itself.
    name : str, optional
        By which a model names the class that is given, where it has one.
    sha256 : str, optional
        The SHA-256 that its text should have; a file with another is not run.

    Returns
    -------
    tuple
        Its name for ``Architecture.processor``, and the SHA-256 of the file's text. A class that
        stands in no file that could be run again is called ``:MyNet``; the SHA-256 is that of its
        own text, or None where there is no text.

    Raises
    ------
    AlgoLensError
        There is no such file or class, or its text is another.
    """
    if isinstance(network, str):
        return network, add_class("network", network, NETWORKS, sha256)
    if not (isinstance(network, type) and issubclass(network, nn.Module)):
        raise AlgoLensError(
            f"network= takes a class of torch.nn.Module, or its name as in 'my_file.py:MyNet'; "
            f"{array_in_words(network)} came. A module that is trained goes to al.wrap."
        )
    path = _file_of(network)
    now = _sha256_of_text(network) if path is None else sha256_of(path)
    if name is None:
        name, number = f"{path or ''}:{network.__name__}", 1
        while NETWORKS.get(name, network) is not network:  # a class that was defined anew
            number += 1
            name = f":{network.__name__}:{number}"
    elif network.__name__ not in name.split(":") or (now or sha256) != (sha256 or now):
        raise AlgoLensError(
            f"the network '{name}' is not this class {network.__name__}, or was another when it "
            "was trained: give that one, or train again."
        )
    elif NETWORKS.get(name, network) is not network:
        raise AlgoLensError(
            f"the network '{name}' is another class in this process: start Python anew."
        )
    NETWORKS[name] = network
    if path is not None and now is not None:
        SHA256[name] = now
    return name, now


def _sha256_of_text(cls: type[nn.Module]) -> str | None:
    """The SHA-256 of the text that defines a class; None where no text is known."""
    try:
        return hashlib.sha256(inspect.getsource(cls).encode()).hexdigest()
    except (OSError, TypeError):
        return None


def _file_of(cls: type[nn.Module]) -> Path | None:
    """The file that defines a class, where running it again gives the class and no more."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if (
        file is None
        or cls.__module__ == "__main__"
        or getattr(module, cls.__name__, None) is not cls
    ):
        return None
    path = Path(file).resolve()
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
