"""A program that stands alone: what is seen, the start, moves, rules, and when to go on."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from msgspec.structs import asdict

from algolens.algorithms import Algorithm, Declaration, Limit, Words, refuse_checks, refuse_python
from algolens.disk import write_json
from algolens.errors import AlgoLensError, AlgoLensWarning, DefinitionError, FormulaError
from algolens.fields import Field, Observed
from algolens.graphs import Location, Recipe
from algolens.language.ir import Expr
from algolens.language.text import Text
from algolens.logic import Formula, minimise, not_exactly_one
from algolens.logic.formula import MASK_CLASSES
from algolens.logic.names import name_objection
from algolens.logic.patterns import all_patterns
from algolens.logic.records import RuleSetRecord
from algolens.logic.remarks import said
from algolens.logic.rule_set import RuleSet
from algolens.looks import Look
from algolens.programs import exports, sql
from algolens.programs.record import ProgramRecord
from algolens.reading import as_record, read_record, record_from

UNKNOWN_CHECKS = (
    "Its file is of an earlier version, which said nothing of the inputs that are refused: on such "
    "inputs it may answer wrongly."
)
FOR_READERS = ("remarks", "title", "words")  # by which no two programs differ
WRITE = "write what `algolens explain MODEL --save FILE` writes"
MOST_CONCEPTS = 16  # of rules that are told apart pattern by pattern


@dataclass(frozen=True, eq=False)
class Program:
    """All it takes to carry an algorithm out on a graph, and no Python.

    Two are equal when they are written alike; ``compare_programs`` tells whether they do the same.

    Parameters
    ----------
    name : str
        What it is called.
    declaration : Declaration
        What it sees, how it begins and moves, its rules, and when it goes on.
    graphs : str
        The graphs on which it makes sense: "undirected", "directed" or "any".
    loops_matter, parallel_edges_matter : bool
        Whether a graph with self-loops, or with parallel edges, is refused.
    remarks : tuple of str
        Sentences on what was measured of it, which every form of it carries.
    title : str
        What people call it.
    checks : tuple
        What it refuses of inputs: names of checks, each with its inputs and numbers.
    table : str or None
        Whether it runs on the cells of a graph that is given: "pairs" or "intervals".

    Raises
    ------
    DefinitionError
        Where it sees in Python, or its name is no name.
    """

    name: str
    declaration: Declaration
    graphs: Literal["undirected", "directed", "any"] = "undirected"
    loops_matter: bool = False
    parallel_edges_matter: bool = False
    remarks: tuple[str, ...] = ()
    title: str = ""
    checks: tuple[tuple[str | int, ...], ...] = ()
    table: Literal["pairs", "intervals"] | None = None

    def __post_init__(self) -> None:
        wrong = name_objection(self.name)
        if wrong is not None:
            raise DefinitionError(f"{self.name!r} cannot name a program: {wrong}")
        if self.declaration.seen is None:
            raise DefinitionError(
                f"'{self.name}' sees in Python, and a program that stands alone says what it sees: "
                "declare a look."
            )
        refuse_checks(self.checks, self.declaration.inputs)
        # each on one line
        object.__setattr__(self, "remarks", self.rules.with_remarks(self.remarks).remarks)

    @classmethod
    def of(cls, algorithm: Algorithm) -> Program:
        """The program of a declared algorithm; refused where a run goes by a method in Python."""
        refuse_python(algorithm)
        refused = (algorithm.loops_matter, algorithm.parallel_edges_matter)
        return cls(
            algorithm.name,
            algorithm.declaration,
            algorithm.graphs,
            *refused,
            title=algorithm.title,
            checks=tuple(map(tuple, algorithm.known_checks)),
            table=algorithm.table,
        )

    @property
    def look(self) -> Look:
        """What it sees, how it begins, and how pointers and numbers move."""
        assert self.declaration.seen is not None
        return self.declaration.seen

    @property
    def limit(self) -> Limit:
        """The most steps that it may take."""
        return self.declaration.most_steps

    @property
    def rules(self) -> RuleSet:
        """How outputs follow from concepts, and when to go on."""
        return self.declaration.rule_set.with_remarks(self.remarks)

    def with_statements(self, statements: Mapping[str, Expr]) -> Program:
        """The same with other statements of what is seen, by their names."""
        look, say = dict(self.declaration.look), Text.of(self.declaration.program)
        for name in look.keys() & statements.keys():
            look[name] = Observed(look[name].location, say(statements[name]))
        return replace(self, declaration=replace(self.declaration, look=look))

    def with_rules(self, rules: RuleSet) -> Program:
        """The same with other rules, and the remarks on these."""
        apart = exclusive(rules)
        declaration = replace(self.declaration, rules=apart.rules, continues=apart.continues)
        return replace(self, declaration=declaration, remarks=rules.remarks)

    @cached_property
    def algorithm(self) -> Algorithm:
        """Itself as an algorithm, to be run, learnt and proven as any other."""
        return _written(json.dumps(self._said()), json.dumps({**self.to_json(), "remarks": []}))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._said() == other._said()

    __hash__ = None  # type: ignore[assignment]

    def _said(self) -> dict[str, Any]:
        return {key: value for key, value in self.to_json().items() if key not in FOR_READERS}

    def _spoken(self) -> dict[str, Any]:
        """What is there for readers alone."""
        return {"title": self.title, "words": self.declaration.words.to_json()}

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON; ``program.schema.json`` beside this file says what it consists of."""
        declaration, rules = self.declaration, self.rules.to_json()
        seen = set(declaration.look)
        return {
            "format": "algolens program",
            "version": 3,
            "name": self.name,
            "graphs": self.graphs,
            "table": self.table,
            "checks": [{"check": name, "of": of} for name, *of in self.checks],
            "loops_matter": self.loops_matter,
            "parallel_edges_matter": self.parallel_edges_matter,
            "most_steps": {"times": self.limit.times, "per": self.limit.counted},
            "location": declaration.location.value,
            "concepts": rules["concepts"],
            "outputs": {name: kind.to_json() for name, kind in declaration.outputs.items()},
            "hints": {
                name: field.to_json()
                for name, field in declaration.hints.items()
                if name not in seen
            },
            "only_where": dict(declaration.only_where),
            "endless": dict(declaration.endless),
            "outcomes": list(declaration.outcomes),
            "look": self.look.to_json(),
            "rules": rules["rules"],
            "continues": rules["continues"],
            "remarks": list(self.remarks),
            **self._spoken(),
        }

    @classmethod
    def from_json(cls, value: Any) -> Program:
        """The program that ``to_json`` wrote; anything else is refused in one line."""
        return cls.of_record(as_record(value, ProgramRecord, "the program"))

    @classmethod
    def of_record(cls, record: ProgramRecord) -> Program:
        """The program that a record holds."""
        look = Look(**record.look.parts())
        rules = RuleSet.of(RuleSetRecord(record.concepts, record.rules, record.continues))
        words = asdict(record.words)
        endless = words.pop("endless") | record.endless
        declaration = Declaration(
            location=Location(record.location),
            concepts=rules.concepts,
            outputs={name: kind.kind() for name, kind in record.outputs.items()},
            state=tuple(look.state),
            rules=exclusive(rules).rules,
            continues=rules.continues,
            inputs=look.starting,
            hints={name: Field.of(field) for name, field in record.hints.items()},
            look=look.observed,
            moves=look.moves,
            sums=look.sums,
            start=look.start,
            only_where=record.only_where,
            endless=endless,
            outcomes=tuple(record.outcomes),
            most_steps=Limit.by(record.most_steps.times, record.most_steps.per),
            words=Words(**words),
        )
        if declaration.seen != look:
            raise FormulaError(
                f"the fields of its look are not those that it has as inputs and state: {WRITE}."
            )
        refused = (record.loops_matter, record.parallel_edges_matter)
        remarks, checks = tuple(record.remarks), ((one.check, *one.of) for one in record.checks)
        if record.version == 2:
            remarks = (*remarks, said(UNKNOWN_CHECKS, is_right=False))
            warnings.warn(f"{record.name}: {UNKNOWN_CHECKS}", AlgoLensWarning, stacklevel=2)
        made = (declaration, record.graphs, *refused, remarks, record.title)
        return cls(record.name, *made, tuple(checks), record.table)

    def save(self, path: Path) -> None:
        """Writes itself as a file of JSON."""
        write_json(path, self.to_json())

    @classmethod
    def load(cls, path: Path) -> Program:
        """The program in a file."""
        record = read_record(path, ProgramRecord)
        try:
            return cls.of_record(record)
        except AlgoLensError as problem:
            raise AlgoLensError(f"{path}: {problem}") from problem

    def __str__(self) -> str:
        return exports.to_text(self)

    def to_markdown(self) -> str:
        """Itself as an algorithm to read, in Markdown."""
        return exports.to_markdown(self)

    def to_latex(self) -> str:
        """Itself as an algorithm to read, in LaTeX (amsmath)."""
        return exports.to_latex(self)

    def to_python_source(self) -> str:
        """Itself as a Python module that needs NumPy alone; its ``run`` carries it out."""
        return exports.to_python(self)

    def to_sql(self) -> str:
        """Itself as SQL: tables, the start, a look, a step, and whether to go on."""
        return sql.to_sql(self)

    def to_smtlib(self) -> str:
        """Its rules as SMT-LIB 2."""
        return self.rules.to_smtlib()


@lru_cache(maxsize=64)
def _written(text: str, spoken: str) -> Algorithm:
    """The algorithm of a program in JSON; equal programs give one and the same.

    spoken: the same with its title and its words, by which nothing differs but what is said.
    """
    whole = Program.of_record(record_from(spoken.encode(), ProgramRecord, "the program"))

    class Written(Algorithm):
        """An algorithm that was read from a file."""

        name = whole.name
        title = whole.title
        recipe = Recipe(directed=whole.graphs == "directed")
        graphs = whole.graphs
        loops_matter = whole.loops_matter
        parallel_edges_matter = whole.parallel_edges_matter
        checks = whole.checks
        table = whole.table

        # what is kept of it elsewhere (data, certificates) is about this very program
        program: str = hashlib.sha256(text.encode()).hexdigest()

        def declare(self) -> Declaration:
            return whole.declaration

    return Written()


def exclusive(rule_set: RuleSet) -> RuleSet:
    """The same decisions by rules of which exactly one holds on every pattern.

    Rules that were drawn from samples may overlap, or leave patterns out: the first that holds
    counts, else the first class.

    >>> from algolens.logic.rule_set import RuleSet
    >>> rule_set = RuleSet.parse(["a", "b"], {"color": {"0": "a", "1": "b"}})
    >>> print(exclusive(rule_set))
    color = 0: a | ~b
    color = 1: ~a & b
    """
    wrong = {
        output for output, classes in rule_set.rules.items() if not_exactly_one(classes) is not None
    }
    if not wrong:
        return rule_set
    if len(rule_set.concepts) > MOST_CONCEPTS:
        raise FormulaError(
            f"rules of {len(rule_set.concepts)} concepts overlap, or leave patterns out; of "
            f"{MOST_CONCEPTS} at most they can be told apart: declare fewer concepts, or take "
            "rules of which exactly one holds."
        )
    patterns = all_patterns(len(rule_set.concepts))
    decided = rule_set.decide(torch.from_numpy(patterns))
    rules = {
        output: _apart(rule_set.concepts, tuple(classes), decided[output].numpy())
        if output in wrong
        else dict(classes)
        for output, classes in rule_set.rules.items()
    }
    return RuleSet(rule_set.concepts, rules, rule_set.continues).with_remarks(rule_set.remarks)


def _apart(
    concepts: tuple[str, ...], labels: tuple[str, ...], decided: np.ndarray
) -> dict[str, Formula]:
    order = MASK_CLASSES if set(labels) == set(MASK_CLASSES) else labels
    rows = np.arange(len(decided))
    return {
        label: minimise(concepts, rows[decided == number], rows[decided != number]).formula
        for number, label in enumerate(order)
    }
