"""A program that stands alone: what is seen, how it begins and moves, the rules, and when to go on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, cast

import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration
from algolens.algorithms._algorithm import GRAPHS
from algolens.disk import write_json
from algolens.errors import AlgoLensError, DefinitionError, FormulaError
from algolens.fields import Field, Observed
from algolens.fields.kinds import kind_from_json
from algolens.graphs import Graph, Location, Recipe
from algolens.logic import Formula, Program
from algolens.logic.names import objection
from algolens.looks import Look, write
from algolens.programs.exclusive import exclusive

MOST_TIMES = 1_000_000
FORMAT, VERSION = "algolens program", 1
WRITE = "write what `algolens explain RUN --save FILE` writes"


@dataclass(frozen=True)
class Limit:
    """The most steps that a program may take on a graph: so many for each of its nodes, or edges, or for the graph."""

    times: int = 1
    per: Location = Location.NODE

    def __post_init__(self) -> None:
        if not isinstance(self.times, int) or isinstance(self.times, bool) or not 1 <= self.times <= MOST_TIMES:
            raise DefinitionError(f"the most steps are counted from 1 to {MOST_TIMES:,}; {self.times!r} came.")
        if self.per is Location.LINK:
            raise DefinitionError("the most steps are counted by nodes, edges or graphs, not by links.")

    @classmethod
    def of(cls, algorithm: Algorithm) -> Limit:
        """The limit of an algorithm; refused where it is no number, and no multiple of nodes or edges."""
        graph = Graph.pack([5, 7, 6], [(0, 1), (1, 2), *((5, node) for node in range(6, 12)), (12, 13), (12, 14), (13, 14)])
        most = algorithm.max_steps(graph)
        for per in (Location.NODE, Location.EDGE, Location.GRAPH):
            counts = graph.counts(per)
            times = int(most[0] // counts[0])
            if times >= 1 and torch.equal(most, times * counts):
                return cls(times, per)
        raise DefinitionError(
            f"'{algorithm.name}' may take a number of steps that is no multiple of nodes or edges, so no file can say it."
        )

    def on(self, graph: Graph) -> Tensor:
        """[G] the most steps on each graph."""
        return self.times * graph.counts(self.per)

    def __str__(self) -> str:
        if self.per is Location.GRAPH:
            return "1 step" if self.times == 1 else f"{self.times:,} steps"
        times = "as many steps as there are" if self.times == 1 else f"{self.times} times as many steps as there are"
        return f"{times} {self.per.value}s"


@dataclass(frozen=True, eq=False)
class WholeProgram:
    """All that it takes to carry an algorithm out on a graph, and no Python. Refused where it contradicts itself.

    Two are equal when they are written alike; ``compare`` tells whether they do the same.
    """

    name: str
    declaration: Declaration
    graphs: Literal["undirected", "directed", "any"] = "undirected"  # on which it makes sense
    loops_matter: bool = False  # whether a graph with self-loops is refused
    limit: Limit = Limit()
    remarks: tuple[str, ...] = ()  # sentences on what was measured of it, which every form of it carries

    def __post_init__(self) -> None:
        wrong = objection(self.name)
        if wrong is not None:
            raise DefinitionError(f"{self.name!r} cannot name a program: {wrong}")
        if self.declaration.seen is None:
            raise DefinitionError(
                f"'{self.name}' sees in Python, and a program that stands alone says what it sees: declare a look."
            )
        object.__setattr__(self, "remarks", self.rules.with_remarks(self.remarks).remarks)  # each on one line

    @classmethod
    def of(cls, algorithm: Algorithm) -> WholeProgram:
        """The program of a declared algorithm."""
        return cls(algorithm.name, algorithm.declaration, algorithm.graphs, algorithm.loops_matter, Limit.of(algorithm))

    @property
    def look(self) -> Look:
        """What it sees, how it begins, and how pointers and numbers move."""
        assert self.declaration.seen is not None
        return self.declaration.seen

    @property
    def rules(self) -> Program:
        """How outputs follow from concepts, and when to go on."""
        return self.declaration.program.with_remarks(self.remarks)

    def with_statements(self, found: Mapping[str, Formula]) -> WholeProgram:
        """The same with other statements of what is seen, by their names."""
        look = {
            name: Observed(each.location, write(found[name])) if name in found else each
            for name, each in self.declaration.look.items()
        }
        return replace(self, declaration=replace(self.declaration, look=look))

    def with_rules(self, rules: Program) -> WholeProgram:
        """The same with other rules, and the remarks on these."""
        apart = exclusive(rules)
        declaration = replace(self.declaration, rules=apart.rules, continues=apart.continues)
        return replace(self, declaration=declaration, remarks=rules.remarks)

    @cached_property
    def algorithm(self) -> Algorithm:
        """Itself as an algorithm, to be run, learnt and proven as any other."""
        return _written(json.dumps(self._said()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WholeProgram) and self._said() == other._said()

    __hash__ = None  # type: ignore[assignment]

    def _said(self) -> dict[str, Any]:
        return {key: value for key, value in self.to_json().items() if key != "remarks"}

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON; ``program.schema.json`` beside this file says what it consists of."""
        declaration, rules = self.declaration, self.rules.to_json()
        seen = set(declaration.look)
        return {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "graphs": self.graphs,
            "loops_matter": self.loops_matter,
            "most_steps": {"times": self.limit.times, "per": self.limit.per.value},
            "location": declaration.location.value,
            "concepts": rules["concepts"],
            "outputs": {name: kind.to_json() for name, kind in declaration.outputs.items()},
            "hints": {name: field.to_json() for name, field in declaration.hints.items() if name not in seen},
            "only_where": dict(declaration.only_where),
            "outcomes": list(declaration.outcomes),
            "look": self.look.to_json(),
            "rules": rules["rules"],
            "continues": rules["continues"],
            "remarks": list(self.remarks),
        }

    @classmethod
    def from_json(cls, value: Any) -> WholeProgram:
        """The program that ``to_json`` wrote; anything else is refused in one line."""
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise FormulaError(f"this is no program that stands alone: its 'format' is not '{FORMAT}'; {WRITE}.")
        if value.get("version") != VERSION:
            raise FormulaError(f"this is a program of version {value.get('version')!r}, and {VERSION} can be read: {WRITE}.")
        unknown = set(value) - KEYS
        if unknown:
            raise FormulaError(f"'{sorted(unknown)[0]}' is no part of a program: {WRITE}.")
        try:
            return cls._read(value)
        except AlgoLensError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise FormulaError(f"this is no program in JSON ({type(problem).__name__}: {problem}): {WRITE}.") from problem

    @classmethod
    def _read(cls, value: dict[str, Any]) -> WholeProgram:
        look = Look.from_json(value["look"])
        rules = Program.from_json({key: value[key] for key in ("concepts", "rules", "continues")})
        strings = [*value["only_where"].values(), *value["outcomes"], *value["remarks"]]
        if not all(isinstance(each, str) for each in strings) or not isinstance(value["loops_matter"], bool):
            raise FormulaError(f"'only_where', 'outcomes' and 'remarks' are texts, 'loops_matter' is true or false: {WRITE}.")
        if value["graphs"] not in GRAPHS:
            raise FormulaError(f"'graphs' is {value['graphs']!r}, and should be one of {', '.join(GRAPHS)}.")
        declaration = Declaration(
            location=Location(value["location"]),
            concepts=rules.concepts,
            outputs={name: kind_from_json(each) for name, each in value["outputs"].items()},
            state=tuple(look.state),
            rules=exclusive(rules).rules,
            continues=rules.continues,
            inputs=look.starting,
            hints={name: Field.from_json(each) for name, each in value["hints"].items()},
            look=look.observed,
            moves=look.moves,
            sums=look.sums,
            start=look.start,
            only_where=value["only_where"],
            outcomes=tuple(value["outcomes"]),
        )
        if declaration.seen != look:
            raise FormulaError(f"the fields of its look are not those that it has as inputs and state: {WRITE}.")
        most = Limit(value["most_steps"]["times"], Location(value["most_steps"]["per"]))
        graphs = cast(Literal["undirected", "directed", "any"], value["graphs"])
        return cls(value["name"], declaration, graphs, value["loops_matter"], most, tuple(value["remarks"]))

    def save(self, path: Path) -> None:
        """Writes itself as a file of JSON."""
        write_json(path, self.to_json())

    @classmethod
    def load(cls, path: Path) -> WholeProgram:
        """The program in a file."""
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as problem:
            raise AlgoLensError(
                f"{path} cannot be read ({type(problem).__name__}: {problem}): give a program in JSON."
            ) from problem
        try:
            return cls.from_json(value)
        except AlgoLensError as problem:
            raise AlgoLensError(f"{path}: {problem}") from problem

    def __str__(self) -> str:
        from algolens.programs.readable import to_text

        return to_text(self)

    def to_markdown(self) -> str:
        """Itself as an algorithm to read, in Markdown."""
        from algolens.programs.readable import to_markdown

        return to_markdown(self)

    def to_latex(self) -> str:
        """Itself as an algorithm to read, in LaTeX (amsmath)."""
        from algolens.programs.readable import to_latex

        return to_latex(self)

    def to_python_source(self) -> str:
        """Itself as a Python module that needs NumPy alone: ``run(graph_of(num_nodes, edges), inputs)``."""
        from algolens.programs.python import to_python

        return to_python(self)

    def to_sql(self) -> str:
        """Itself as SQL: tables, the start, a look, a step, and whether to go on."""
        from algolens.programs.sql import to_sql

        return to_sql(self)

    def to_smtlib(self) -> str:
        """Its rules as SMT-LIB 2."""
        return self.rules.to_smtlib()


@lru_cache(maxsize=64)
def _written(text: str) -> Algorithm:
    """The algorithm of a program in JSON; of one text always the same, so that two are equal when their programs are."""
    whole = WholeProgram.from_json({**json.loads(text), "remarks": []})

    class Written(Algorithm):
        """An algorithm that was read from a file."""

        name = whole.name
        recipe = Recipe(directed=whole.graphs == "directed")
        graphs = whole.graphs
        loops_matter = whole.loops_matter

        # what is kept of it elsewhere (data, certificates) is about this very program
        program: str = hashlib.sha256(text.encode()).hexdigest()

        def declare(self) -> Declaration:
            return whole.declaration

        def max_steps(self, graph: Graph) -> Tensor:
            return whole.limit.on(graph)

    return Written()


KEYS = {
    "format",
    "version",
    "name",
    "graphs",
    "loops_matter",
    "most_steps",
    "location",
    "concepts",
    "outputs",
    "hints",
    "only_where",
    "outcomes",
    "look",
    "rules",
    "continues",
    "remarks",
}
