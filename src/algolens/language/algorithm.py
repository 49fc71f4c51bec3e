"""What every algorithm is: a class that declares it, and a few small functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import FunctionType
from typing import Any, ClassVar, Literal, Self

import numpy as np

from algolens import arrays
from algolens.arrays import Array, Values
from algolens.errors import DefinitionError, GraphError, InputError, naming
from algolens.graphs import Graph, Recipe
from algolens.graphs.attributes import Attribute, exact_numbers
from algolens.graphs.cells import CELL_POINTERS, TABLES, cells_of
from algolens.graphs.scales import Scale, whole_numbers
from algolens.language.declaration import Declaration
from algolens.language.declare import Form, Reading
from algolens.language.fields import Field
from algolens.language.given import CHECKS, DRAWS, Check, as_arrays, refuse_checks
from algolens.language.inputs import read_inputs, remarks_on_reading
from algolens.language.layouts import ByEdges, Layout
from algolens.language.scales import carried_columns, find_scales
from algolens.lazy import nx
from algolens.limits import BITS, WholeRange
from algolens.logic.names import name_objection

PlainValues = Mapping[str, Any]  # the same without tensors, for references
GRAPHS = ("undirected", "directed", "any")
OLD_FORM = (
    "declare() is how algorithms were written before: write an attribute for each name, as in "
    "visited = Node.output(mask, start=..., becomes=...); `algolens new` writes an example."
)
# what an author may write in Python; every other function of a class is the author's own
METHODS = ("start", "perceive", "sample", "max_steps", "reference", "check")
# what a subclass may write in Python and still be a program that stands alone. Every other method
# changes what a run does, or might: a program holds none of it, and is refused (python_methods)
IN_PROGRAMS = {
    "declaration",  # all that a program says
    "known_checks",  # which a program says too
    "sample",  # random inputs: a run begins when they are there
    "reference",  # what results are compared with
    "data_name",  # which random inputs are drawn
    "range_of",  # which options it can have: a program has what came of them
    "_check_signatures",  # an objection to a class, before there is a run
    "__init_subclass__",
    "__init__",
}
INSTEAD = {
    "start": "give each state its start",
    "perceive": "give each feature its statement",
    "max_steps": "write most_steps, as in most_steps = 2 * per(Node), for twice as many as there "
    "are nodes",
    "check": "name in checks what it refuses",
}


class Algorithm(Form):
    """A classical algorithm, step by step, on whole batches of graphs at once.

    A subclass is one file, with one attribute for one name: what is given, what is carried from
    step to step and how it begins and changes, what is seen. What no statement can say is written
    in Python: ``start`` and ``perceive``. Options are class attributes too. A class that
    contradicts itself is refused when it is defined; one with ``part=True`` is what others share.
    """

    title: ClassVar[str] = ""  # what people call it; unless given, its name in plain letters
    group: ClassVar[str] = "others"  # what it is for, as `algolens list` puts them together
    # an example made for it, as a user types it: edges as "A-B:4 B-C:2", else numbers or words
    example: ClassVar[str] = ""
    # what it runs on where edges do not count, in a word, then what it reads of each of them, as
    # ("points", "x", "y"); ("words", ...): the letters of two, and which are of the second
    items: ClassVar[tuple[str, ...]] = ()
    recipe: ClassVar[Recipe] = Recipe()
    # the algorithm of which it is a variant: both draw the same data, and only that one is listed
    variant_of: ClassVar[str | None] = None
    # whether it runs on the cells of a table, which are made from a user's graph: those of all
    # pairs of its nodes, or of all intervals of its row of nodes
    table: ClassVar[Literal["pairs", "intervals"] | None] = None
    # on which graphs it makes sense
    graphs: ClassVar[Literal["undirected", "directed", "any"]] = "undirected"
    # whether a self-loop, or a second edge between two nodes, would change what it finds: such a
    # graph is then refused, and otherwise read without them, of which the user is told
    loops_matter: ClassVar[bool] = False
    parallel_edges_matter: ClassVar[bool] = False
    layout: ClassVar[Layout] = ByEdges()  # how a run is drawn
    # what it refuses of a user's inputs: the name of a check, then of inputs and options; the page
    # of a run knows these, and not what a method check() of its own does
    checks: ClassVar[tuple[Check, ...]] = ()
    _declarations: ClassVar[dict[str, Declaration]]  # by options, as they are written

    options: Mapping[str, int]  # by name, as they are set

    def __init_subclass__(cls, *, part: bool = False) -> None:
        super().__init_subclass__()
        cls._declarations = {}
        if "name" not in vars(cls):
            cls.name = re.sub("(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        wrong = name_objection(cls.name)
        if wrong is not None:
            raise DefinitionError(f"{cls.name!r} cannot name algorithm {cls.__name__}: {wrong}")
        # not inherited: a variant of an algorithm is called otherwise
        cls.title = cls.__dict__.get("title", "") or cls.name.replace("_", " ").capitalize()
        if part:
            return
        each_in_parentheses = isinstance(cls.checks, tuple) and all(
            isinstance(each, tuple) and each for each in cls.checks
        )
        is_title = isinstance(cls.title, str) and cls.title.isprintable()
        for word, fits, wanted in (
            ("title", is_title, "what people call it, in one line"),
            ("graphs", cls.graphs in GRAPHS, "'undirected', 'directed', or 'any' for both"),
            ("table", cls.table in (None, *TABLES), "'pairs' or 'intervals', or leave it out"),
            (
                "checks",
                each_in_parentheses,
                "each in parentheses, with a comma after it, as in checks = (('ascending', "
                "'key'),)",
            ),
            ("recipe", isinstance(cls.recipe, Recipe), "a Recipe(...)"),
            (
                "items",
                isinstance(cls.items, tuple) and len(cls.items) != 1,
                "a word, then inputs at nodes, as in items = ('points', 'x', 'y')",
            ),
            (
                "layout",
                isinstance(cls.layout, Layout),
                "one of algolens.language.layouts, as in Bars(of='key')",
            ),
        ):
            if not fits:
                raise DefinitionError(
                    f"algorithm '{cls.name}': {word} is {getattr(cls, word)!r}: write {wanted}."
                )
        if cls.__module__.startswith("algolens.algorithms."):
            return  # tests check those that ship: a command that runs one need not build them all
        with naming(f"algorithm '{cls.name}'"):
            if callable(getattr(cls, "declare", None)):
                raise DefinitionError(OLD_FORM)
            cls()._check_signatures()

    def __init__(self, **options: int) -> None:
        object.__setattr__(self, "options", Reading(type(self), options).options)
        refuse_checks(self.known_checks, self.declaration.inputs)
        cls, in_python = type(self), self.declaration.in_python
        for method in ("start", "perceive"):
            if in_python and getattr(cls, method) is getattr(Algorithm, method):
                raise DefinitionError(
                    f"features have no statements, and there is no {method}() in Python: write "
                    f"what is seen, as in Node.derived('visited'), or write {method}()."
                )
        if not in_python and cls.perceive is not Algorithm.perceive:
            raise DefinitionError(
                "features have statements, and there is a perceive() in Python beside them, of "
                "which nothing could be proven: take one of them out."
            )
        self.layout.check(self.declaration.fields)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"an algorithm does not change: give {name} when it is made.")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Algorithm)
            and type(self) is type(other)
            and self.options == other.options
        )

    def __hash__(self) -> int:
        return hash((type(self), *self.options.items()))

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{type(self).__name__}({options})"

    def but(self, **options: int) -> Self:
        """The same with other values of some options."""
        return type(self)(**{**self.options, **options})

    def _check_signatures(self) -> None:
        """Refuses a method that does not take what it will be called with."""
        for name in METHODS:
            ours, theirs = getattr(Algorithm, name), getattr(self, name)
            called_with = list(inspect.signature(ours).parameters)
            try:
                inspect.signature(theirs).bind(*called_with[1:])
            except TypeError as problem:
                raise DefinitionError(
                    f"{name} cannot be called ({problem}): write def {name}"
                    f"({', '.join(called_with)})."
                ) from problem

    def start(self, graph: Graph, inputs: Values) -> dict[str, Array]:
        """The first state: an array for each state field. Unless overridden, as declared."""
        from algolens.engines.tensors import Running

        return Running(self.declaration.program, graph).start(inputs)

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Array]:
        """The true concepts and hints in any state; unless overridden, as declared."""
        from algolens.engines.tensors import Running

        running = Running(self.declaration.program, graph)
        return running.perceive(inputs, state, self.declaration.perceived)

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Array]:
        """Random inputs for graphs; unless overridden, each drawn as its kind draws, then
        changed so that its checks let them pass.
        """
        made, fields, graph = dict[str, Array](), self.declaration.inputs, graph.to(arrays.NUMPY)
        for name, field in fields.items():
            with naming(f"'{name}'", GraphError):
                made[name] = field.draw(graph, rng)
        for check, *of in self.known_checks:
            if check in DRAWS:
                made |= DRAWS[check](fields, graph, made, rng, *of)
        return made

    def max_steps(self, graph: Graph) -> Array:
        """[G] the most steps it may take; without a rule for going on, it takes as many.

        Unless overridden, as ``most_steps`` says. What is counted in Python, no program that
        stands alone can say.
        """
        return self.declaration.most_steps.on(graph)

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues | None:
        """What a trusted implementation gives on one graph; ``algolens check`` compares it.

        Parameters
        ----------
        graph : networkx.Graph
            Nodes 0, 1, ..., with the inputs at nodes and edges as attributes.
        inputs : mapping
            The inputs of the whole graph, as ``source``, a node.

        Returns
        -------
        mapping or None
            For each output that it knows, a value by node, or by edge (u, v); for an outcome, its
            value. A node that is left out has false, or None; a mask may be the set of those that
            have it. None where there is no reference.
        """
        return None

    @property
    def declaration(self) -> Declaration:
        """What it declares, checked: once for a class and its options."""
        known, options = type(self)._declarations, repr(self)
        if options not in known:
            reading = Reading(type(self), self.options)
            known[options] = Declaration(reading.program, reading.words)
        return known[options]

    @property
    def data_name(self) -> str:
        """The name that its data are drawn by."""
        return self.variant_of or self.name

    @classmethod
    def range_of(cls, option: str) -> WholeRange:
        """What an option may be."""
        found = inspect.getattr_static(cls, option)
        return WholeRange(found.least, found.most)

    def check(self, graph: Graph, inputs: Values) -> None:
        """Raises a GraphError where it cannot run on a user's inputs: by default, what ``checks``
        name.
        """
        checks = self.known_checks
        of_graph = as_arrays(graph) if checks else {}
        values = arrays.all_to(inputs, arrays.NUMPY) if checks else {}
        for name, *arguments in checks:
            wrong = CHECKS[name][0](of_graph, values, *arguments)
            if wrong is not None:
                raise InputError(wrong)

    @property
    def known_checks(self) -> list[list[Any]]:
        """Its checks, with options as they are set."""
        inputs, options = self.declaration.inputs, self.options
        return [
            [part if part in inputs else options.get(str(part), part) for part in check]
            for check in self.checks
        ]

    def with_room_for(self, graph: Graph) -> Self:
        """Itself, with as many ``bits`` as a graph needs where the declared ones are too few."""
        bits = self.options.get("bits")
        columns = carried_columns(self, graph)
        scales = find_scales(self, columns)
        needed = [
            _bits_to_differ(graph, field, name in columns)
            if scales.get(name) is None
            else _bits_to_count(field, columns[name], scales[name] or Scale())
            for name, field in self.declaration.inputs.items()
        ]
        most = min(max(needed, default=0), BITS.most)
        return self if bits is None or most <= bits else self.but(bits=most)

    def on_cells(self, graph: Graph) -> Graph:
        """The graph that it runs on, from one graph of a user: the cells of its table, if any.

        A graph that carries what its cells point to is taken as it is.
        """
        pointers = CELL_POINTERS & self.declaration.inputs.keys()
        if self.table is None or (pointers and pointers <= graph.node_attributes.keys()):
            return graph
        notes = (*remarks_on_reading(graph), *graph.notes)
        return replace(cells_of(graph, self.table), notes=notes)

    def read(
        self, graph: Graph, rng: np.random.Generator, *, draw_all: bool = False, **arguments: Any
    ) -> tuple[dict[str, Array], list[str]]:
        """Read the inputs for one graph of a user, and what to tell the user.

        Parameters
        ----------
        graph : Graph
            Its attributes are the inputs at nodes and edges.
        rng : numpy.random.Generator
            For inputs that are drawn.
        draw_all : bool
            Draw also what a user's graph must carry, as for a graph of a random family.
        **arguments
            Inputs of the whole graph: the name of a node (``source="Amsterdam"``), a class, a
            number.
        """
        return read_inputs(self, graph, rng, arguments, draw_all=draw_all)


def python_methods(algorithm: Algorithm) -> list[str]:
    """The methods written in Python by which its runs go, and which no program can hold.

    >>> from algolens.algorithms import algorithm
    >>> python_methods(algorithm("bfs")), python_methods(algorithm("kruskal_union_find"))
    ([], ['start', 'perceive'])
    """
    methods = (FunctionType, classmethod, staticmethod, property, cached_property)
    return [
        name
        for name, value in vars(Algorithm).items()
        if isinstance(value, methods)
        and name not in IN_PROGRAMS
        and inspect.getattr_static(type(algorithm), name) is not value
    ]


def refuse_python(algorithm: Algorithm) -> None:
    """Raises an error where a method in Python keeps an algorithm from being a program."""
    for name in python_methods(algorithm):
        raise DefinitionError(
            f"'{algorithm.name}' goes by Python, by its own {name}(), and no program that stands "
            f"alone holds that: {INSTEAD.get(name, f'leave {name}() out')}."
        )


def _bits_to_differ(graph: Graph, field: Field, is_given: bool) -> int:
    """How many bits it takes for numbers to differ as they must."""
    if not field.distinct:
        return 0
    if field.distinct == "graph" or is_given:
        most = int(graph.counts(field.at).max())
    else:
        most = int(arrays.bincount(graph.edges.reshape(-1), 1).max()) + 1
    return (most + field.low - 1).bit_length()


def _bits_to_count(field: Field, column: Attribute, scale: Scale) -> int:
    """How many bits hold a user's numbers, multiplied to be whole; others are refused when read."""
    multiplied = whole_numbers(column, scale)
    if multiplied is not None:
        extremes = arrays.extremes(multiplied) if len(multiplied) else ()
        return max(map(field.bits_for, extremes), default=0)
    whole = [scale.whole(number) for number in exact_numbers(column) if number is not None]
    return max((field.bits_for(number) for number in whole if number is not None), default=0)
