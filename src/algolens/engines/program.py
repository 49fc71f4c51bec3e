"""A program that stands alone: HIR, what is said of it, and which graphs and inputs it takes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import force_setattr, replace

from algolens.algorithms import Algorithm, Declaration, Limit, refuse_checks, refuse_python
from algolens.disk import write_json
from algolens.engines import exports, python_source, sql_source
from algolens.engines.foreign import refuse_misleading, refuse_strange
from algolens.errors import AlgoLensError, DefinitionError, ReadingError
from algolens.graphs import Recipe
from algolens.language import ir, rules
from algolens.language.words import Words
from algolens.logic.names import name_objection
from algolens.logic.rule_set import RuleSet
from algolens.reading import OneLine, Text, as_record, read_bytes, record_from


class Program(
    msgspec.Struct,
    frozen=True,
    eq=False,
    dict=True,
    forbid_unknown_fields=True,
    tag_field="format",
    tag="algolens program",
):
    """All it takes to carry an algorithm out on a graph, and no Python.

    Two are equal when they are written alike; ``compare_programs`` tells whether they do the same.

    Parameters
    ----------
    program : ir.Program
        What is given, how it begins, what is seen, and what becomes of it.
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
    words : Words
        What people say of it; nothing is computed from them.

    Raises
    ------
    DefinitionError
        Where it sees in Python, or its name is no name.
    """

    program: ir.Program
    graphs: Literal["undirected", "directed", "any"] = "undirected"
    loops_matter: bool = False
    parallel_edges_matter: bool = False
    remarks: tuple[Text, ...] = ()
    title: OneLine = ""
    checks: tuple[tuple[str | int, ...], ...] = ()
    table: Literal["pairs", "intervals"] | None = None
    words: Words = Words()
    version: Literal[4] = 4

    def __post_init__(self) -> None:
        wrong = name_objection(self.name)
        if wrong is not None:
            raise DefinitionError(f"{self.name!r} cannot name a program: {wrong}")
        if self.program.perceived:
            raise DefinitionError(
                f"'{self.name}' sees in Python, and a program that stands alone says what it sees: "
                "give each feature its statement."
            )
        if self.checks:
            refuse_checks(self.checks, self.declaration.inputs)
        on_one_line = RuleSet((), {}).with_remarks(self.remarks).remarks
        force_setattr(self, "remarks", on_one_line)

    @classmethod
    def of(cls, algorithm: Algorithm) -> Program:
        """The program of a declared algorithm; refused where a run goes by a method in Python."""
        refuse_python(algorithm)
        declared = algorithm.declaration
        return cls(
            replace(declared.program, name=algorithm.name),
            algorithm.graphs,
            algorithm.loops_matter,
            algorithm.parallel_edges_matter,
            title=algorithm.title,
            checks=tuple(map(tuple, algorithm.known_checks)),
            table=algorithm.table,
            words=declared.words,
        )

    @property
    def name(self) -> str:
        """What it is called."""
        return self.program.name

    @cached_property
    def declaration(self) -> Declaration:
        """What networks, proofs and displays ask of it."""
        refuse_strange(self.program)
        return Declaration(self.program, self.words)

    @property
    def at(self) -> ir.At:
        """The table of outputs and concepts."""
        return next(iter(self.program.outputs.values())).at

    @property
    def limit(self) -> Limit:
        """The most steps that it may take."""
        return Limit(self.program.times, self.program.per)

    @cached_property
    def rules(self) -> RuleSet:
        """How outputs follow from concepts, and when to go on."""
        found = rules.rule_set(self.program, self.program.concepts)
        return found.with_remarks(self.remarks)

    def with_statements(self, statements: Mapping[str, ir.Expr]) -> Program:
        """The same with other statements of what is seen, by their names."""
        seen = {name: said for name, said in statements.items() if name != ir.GOES_ON}
        return replace(self, program=rules.with_lets(self.program, seen))

    def with_rules(self, rule_set: RuleSet) -> Program:
        """The same with other rules, and the remarks on these."""
        program = rules.with_rules(self.program, rule_set, self.at)
        return replace(self, program=program, remarks=rule_set.remarks)

    @cached_property
    def algorithm(self) -> Algorithm:
        """Itself as an algorithm, to be run, learnt and proven as any other."""
        return _written(msgspec.json.encode(replace(self, remarks=())))

    @property
    def _bare(self) -> Program:
        """Without what is there for readers, by which no two programs differ."""
        return replace(self, remarks=(), title="", words=Words())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._bare.to_json() == other._bare.to_json()

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON; ``program.schema.json`` beside this file says what it consists of."""
        value: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return value

    @classmethod
    def from_json(cls, value: Any, where: str = "the program") -> Program:
        """The program that ``to_json`` wrote; anything else is refused in one line."""
        if isinstance(value, dict) and value.get("version") in (1, 2, 3):
            raise ReadingError(
                f"{where} is of version {value['version']}, which is not read any more: write it "
                "anew with `algolens explain MODEL --save FILE`."
            )
        program = as_record(value, cls, where)
        try:
            _ = program.declaration, program.limit
            refuse_misleading(program.program)
        except AlgoLensError as problem:
            raise AlgoLensError(f"{where}: {problem}") from problem
        return program

    def save(self, path: Path) -> None:
        """Writes itself as a file of JSON."""
        write_json(path, self.to_json())

    @classmethod
    def load(cls, path: Path) -> Program:
        """The program in a file."""
        return cls.from_json(record_from(read_bytes(path), dict, str(path)), str(path))

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
        return python_source.to_python(self)

    def to_sql(self) -> str:
        """Itself as SQL: tables, the start, a look, a step, and whether to go on."""
        return sql_source.to_sql(self)

    def to_smtlib(self) -> str:
        """Its rules as SMT-LIB 2."""
        return self.rules.to_smtlib()


@lru_cache(maxsize=64)
def _written(text: bytes) -> Algorithm:
    """The algorithm of a program in JSON; equal programs give one and the same."""
    whole = msgspec.json.decode(text, type=Program)
    # what is kept of it elsewhere (data, certificates) is about this very program
    about = hashlib.sha256(msgspec.json.encode(whole._bare)).hexdigest()

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

        def __init__(self) -> None:
            super().__init__()
            object.__setattr__(self, "options", {"program": about})

        @property
        def declaration(self) -> Declaration:
            return whole.declaration

    return Written()
