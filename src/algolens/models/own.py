"""A network of a user's own: a module that reads a graph of PyTorch Geometric in every state, and
gives scores by name.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Declaration, Values, sha256_of
from algolens.arrays import zeros
from algolens.engines import Run
from algolens.engines.tensors import Running
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import LOCATIONS, At, Graph
from algolens.language.fields import Field
from algolens.language.values import array_in_words
from algolens.models.architecture import GOES_ON, Architecture, network_inputs, reserved
from algolens.models.own_classes import SHA256, add_class, first_line, refuse_nan
from algolens.models.packing import repeated
from algolens.models.perceiver import Lessons, Perceived, Perceiver, Taught

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from algolens.models.network import Network

NETWORKS: dict[str, type[nn.Module]] = {}  # of users, by name: FILE.py:CLASS, or :CLASS
# two graphs that every new module is tried on, which also tells lazy layers their widths
TRIED_ON = Graph.pack([3, 2], [(0, 1), (1, 2), (3, 4)]).to("cpu")
# of the rows of x and of edge_attr: the locations whose fields stand in them, in this order
IN_X: tuple[At, ...] = ("node", "graph")
IN_EDGE_ATTR: tuple[At, ...] = ("edge", "link")


class Encoding:
    """A batch of graphs in a state, as a batch of PyTorch Geometric: how a user's network sees it.

    ``x`` has a row for every node: the inputs at nodes, the state there, then the fields of its
    graph. ``edge_attr`` has a row for every link: the fields of its edge, then its own. Each field
    is encoded by its kind, and inputs come before state, in the order in which they are declared. A
    pointer is no feature: ``pointers`` has, by its name, [2, K] the elements and what they point
    to.
    """

    def __init__(self, declaration: Declaration) -> None:
        state = {name: declaration.predicted[name] for name in declaration.state}
        self.fields: Mapping[str, Field] = {**network_inputs(declaration), **state}
        self.in_channels, self.edge_dim = (
            sum(field.width for field in self.fields.values() if field.at in locations)
            for locations in (IN_X, IN_EDGE_ATTR)
        )

    def __call__(self, graph: Graph, values: Values) -> Batch:
        """The graphs with the values of all fields."""
        try:
            from torch_geometric.data import Batch
        except ImportError as missing:
            raise AlgoLensError(
                "a network of your own reads graphs of PyTorch Geometric, which is not installed: "
                "pip install 'algolens[pyg]'."
            ) from missing
        pointers = {}
        for name, field in self.fields.items():
            if to := field.to:
                elements = torch.arange(graph.count(field.at), device=graph.device)
                first = graph.first(to).index_select(0, graph.owner(field.at))
                pointers[name] = torch.stack([elements, first + values[name]])
        return Batch(
            x=self._features(graph, values, IN_X, graph.num_nodes),
            edge_index=graph.links,
            edge_attr=self._features(graph, values, IN_EDGE_ATTR, graph.num_links),
            batch=graph.node_owner,
            ptr=torch.cat([graph.first_node, graph.first_node.new_tensor([graph.num_nodes])]),
            pointers=pointers,
        )

    def _features(
        self, graph: Graph, values: Values, locations: tuple[At, ...], rows: int
    ) -> Tensor:
        """[N, in_channels] or [L, edge_dim]."""
        parts = [torch.zeros(rows, 0, device=graph.device)]
        for location in locations:
            for name, field in self.fields.items():
                if field.at == location and field.width:
                    encoded = field.encode(values[name])
                    if location == "graph":
                        encoded = encoded.index_select(0, graph.node_owner)
                    parts.append(graph.at_links(encoded) if location == "edge" else encoded)
        return torch.cat(parts, 1)


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
        self.encoding = Encoding(declaration)
        known = {*declaration.concepts, *declaration.decided, *declaration.moved}
        beside = [name for name in declaration.predicted if name not in known]
        self.for_head: tuple[str, ...] = declaration.concepts
        if not self.bottleneck:
            self.for_head = tuple(declaration.decided)
            beside[:0] = [name for name in declaration.state if name in declaration.concepts]
        self.beside = tuple(beside)
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

    def prepare(
        self, graph: Graph, inputs: Values
    ) -> tuple[Graph, Values, Running | None, dict[str, Tensor]]:
        """Graph and inputs; by which pointers and numbers move, where any do; and the features of
        the last state, as the module gave them.
        """
        declaration = self.declaration
        found: dict[str, Tensor] = {}
        running = None
        if declaration.moved:
            instead = {name: partial(_given, found, name) for name in declaration.statements}
            running = Running(declaration.program, graph, instead)
        return graph, inputs, running, found

    def forward(
        self,
        prepared: tuple[Graph, Values, Running | None, dict[str, Tensor]],
        state: Values,
        memory: Tensor | None,
    ) -> Perceived:
        graph, inputs, running, found = prepared
        scores = self.scores(graph, {**inputs, **state})
        moved: Mapping[str, Tensor] = {}
        if running is not None:
            found.update({name: scores[name][0] > 0 for name in running.instead})
            moved = running.perceive(inputs, state, self.declaration.moved)
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
        modules, decided = cast(Any, self.of_seed), self.declaration.decided
        given = [module.decide(own) for module, own in zip(modules, concepts, strict=True)]
        for scores in given:
            self._check_names(scores, decided, "decide")
        return {
            name: torch.stack(
                [self._shaped(name, kind, one[name], concepts.shape[1]) for one in given]
            )
            for name, kind in decided.items()
        }

    def lessons(self, trace: Run, device: torch.device) -> StateLessons:
        return StateLessons(trace, device)

    def _checked(self, given: Any, graph: Graph) -> dict[str, Tensor]:
        """What a module gave, as kinds take it; refused where a name or a shape is another."""
        fields = {name: self.declaration.predicted[name] for name in (*self.for_head, *self.beside)}
        if self.tells_going_on or (self.declaration.terminates and not self.bottleneck):
            fields[GOES_ON] = Field("graph", "mask")
        self._check_names(given, fields, "forward")
        return {
            name: self._shaped(
                name,
                field,
                given[name],
                graph.count(field.at),
                None if field.to is None else graph.counts(field.to),
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
        self, name: str, field: Field, value: Any, count: int, places: Tensor | None = None
    ) -> Tensor:
        """Scores as a kind takes them. places: of a pointer, [G] how many each graph has."""
        scores = field.num_scores if places is None else int(places.max())
        shape = field.shaped(torch.empty(count, scores, device="meta")).shape
        if isinstance(value, Tensor) and value.is_floating_point():
            refuse_nan(value, f"{self.name} gave '{name}'")
            if value.shape == shape:
                return value
            if value.shape == (count, scores):
                return field.shaped(value)
        raise DefinitionError(
            f"{self.name} gave '{name}' as {array_in_words(value)}; here its scores are numbers "
            f"of shape {list(shape)}."
        )


def _given(found: Mapping[str, Tensor], name: str, _: object) -> Tensor:
    """A feature as the module gave it, in place of what it says."""
    return found[name]


class StateLessons(Lessons):
    """True traces of many graphs: all states of a batch are looked at as one large batch."""

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        """A step is taken from every state but the last; going on is asked in all but the first."""
        perceiver, trace = cast(OwnNetwork, network.perceiver), self.trace
        alive = [sum(length >= step for length in lengths) for step in range(max(lengths) + 1)]
        step = repeated(range(len(alive)), alive, graphs.device)
        taken = trace.graph.take(torch.cat([graphs[:count] for count in alive]))
        graph, of = taken.graph, taken.graphs
        where = {each: (graph.owner(each), taken.index(each)) for each in LOCATIONS}
        inputs = {name: x[taken.index(self.location[name])] for name, x in self.inputs.items()}
        scores = perceiver.scores(graph, {**inputs, **self.at(self.states, step, where)})
        # of all states that a step is taken from
        is_taken = step < trace.lengths[of]
        rows = {each: is_taken[owner].nonzero().flatten() for each, (owner, _) in where.items()}
        where = {each: (own[rows[each]], place[rows[each]]) for each, (own, place) in where.items()}
        true = self.at(self.fields, step, where)
        here = rows[perceiver.declaration.location]
        concepts = torch.stack([true[name] for name in trace.concepts], 1)
        head = perceiver.head(scores).index_select(1, here)
        head = network.with_given_concepts(head, concepts)
        hints = {
            name: (scores[name].index_select(1, rows[self.location[name]]), true[name])
            for name in perceiver.beside
        }
        goes_on = None
        if perceiver.tells_going_on:
            ahead = (step > 0).nonzero().flatten()
            asked = trace.goes_on[step[ahead] - 1, of[ahead]]
            goes_on = (scores[GOES_ON].index_select(1, ahead), asked.float())
        return Taught(
            head=head,
            concepts=concepts.float(),
            scores=network.decide(head),
            outputs={name: true[name] for name in network.outputs},
            hints=hints,
            goes_on=goes_on,
        )


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
            name: field.num_scores
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
        name: zeros(TRIED_ON.count(field.at), field.dtype, "cpu")
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
