"""Refuses programs that contradict themselves: kinds, tables, names, order, and who looks at whom.

A statement is in the guarded fragment: it speaks of me and of those that one relation shows to me,
and never looks on from there. So what is true depends on finitely many cases, and can be proven.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import NoReturn

from msgspec import structs

from algolens.errors import DefinitionError
from algolens.language.fields import MASK, MOST_BITS, SUM
from algolens.language.ir import (
    GOES_ON,
    IT,
    ME,
    NUMBER,
    STEPS,
    And,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Expr,
    Field,
    Get,
    It,
    Let,
    Me,
    Not,
    Or,
    Program,
    Quantified,
    The,
    View,
    Within,
    columns_of,
    given_column,
    parts_of,
    speaks_of,
)
from algolens.language.parse import WORDS
from algolens.language.text import Text
from algolens.logic.names import name_objection

MOST_TIMES = 1_000_000
ID = "id"  # which every element has, in SQL and in files
# what columns and keys of files already mean, so that no input is read from them
FILE_COLUMNS: Mapping[At, tuple[str, ...]] = {
    "node": ("node",),
    "edge": ("source", "target", "key"),
}


def location_of(places: Iterable[At]) -> At:
    """The one table of outputs and concepts."""
    found = sorted(set(places))
    if not found:
        raise DefinitionError(
            "an algorithm gives an output: declare one, as in visited = Node.output(mask, "
            "start=..., becomes=...)."
        )
    if len(found) > 1 or found[0] not in ("node", "edge"):
        raise DefinitionError(
            "concepts and outputs sit at nodes or at edges, all at one table; here: "
            f"{', '.join(found)}."
        )
    return found[0]


def check(program: Program, masks: frozenset[str] = frozenset()) -> None:
    """Refuse a program that contradicts itself.

    Parameters
    ----------
    program : Program
        Its fields, lets and moves are checked.
    masks : frozenset of str
        The lets that must be true or false; that of going on must be anyway.

    Raises
    ------
    DefinitionError
        What is wrong, of which name, and what to do.
    """
    inputs, state, outputs = program.inputs, program.state, program.outputs
    if not state or not outputs:
        raise DefinitionError(
            "an algorithm carries something from step to step, and gives an output: declare one, "
            "as in visited = Node.output(mask, start=..., becomes=...)."
        )
    for name, field in {**inputs, **state}.items():
        check_name(name, field.at if name in inputs else None)
    if program.per == "link":
        raise DefinitionError("most_steps counts nodes, edges or graphs: write 2 * per(Node).")
    if not 1 <= program.times <= MOST_TIMES:
        raise DefinitionError(f"most_steps counts {program.times}: give 1 to {MOST_TIMES:,}.")
    known = dict(inputs)
    text = Text.of(program)
    for let in program.start:
        _fits(let, state.get(let.name), Checker(let, inputs, text, looks=False), "start")
    known.update(state)
    for let in program.lets:
        if let.name in known:
            raise DefinitionError(f"'{let.name}' is declared twice: give one another name.")
        if let.name == GOES_ON and let.at != "graph":
            raise DefinitionError("whether a run goes on is said at the graph.")
        checker = Checker(let, known, text)
        kind = checker.kind(let.value)
        if let.name in {GOES_ON, *masks}:
            checker.truth(let.value)
        known[let.name] = structs.replace(kind, at=let.at)
    changed = outputs | state
    for let in program.becomes:
        is_rule = let.name in outputs and outputs[let.name].is_decided
        checker = Checker(let, known, text, looks=not is_rule)
        _fits(let, changed.get(let.name), checker, "becomes")
    for part, wanted in (("start", state), ("becomes", changed)):
        said = {let.name for let in getattr(program, part)}
        for name in wanted:
            if name not in said:
                raise DefinitionError(f"'{name}' has no {part}: add {part}=....")


def check_name(name: str, input_at: At | None = None) -> None:
    """Refuse a name that means something else; ``input_at``: the table of an input."""
    wrong = name_objection(name)
    if name in WORDS or name == NUMBER or any(name == step for _, step in STEPS):
        wrong = "it is a word of the language: write another."
    elif name == ID:
        wrong = f"every element has an id, in SQL and in files: write another, as my_{name}."
    elif input_at is not None and name in FILE_COLUMNS.get(input_at, ()):
        wrong = (
            f"files of graphs call so what every {input_at} has: write another, as "
            f"{input_at}_{name}."
        )
    if wrong is not None:
        raise DefinitionError(f"{name!r} cannot name a field: {wrong}")


def in_order(lets: Iterable[Let]) -> tuple[Let, ...]:
    """Lets as they can be computed: each after those that it reads, as in a spreadsheet."""
    known = {let.name: let for let in lets}
    reads = {
        name: [column for _, column in sorted(columns_of(let.value)) if column in known]
        for name, let in known.items()
    }
    try:
        TopologicalSorter(reads).prepare()
    except CycleError as problem:
        names = problem.args[1]
        raise DefinitionError(
            f"{' names '.join(reversed(names))}, so none of them can be computed first: carry one "
            "over from the step before, as state."
        ) from None
    order: dict[str, Let] = {}

    def place(name: str) -> None:
        """Those that it reads, then itself; all others stay where they were written."""
        if name not in order:
            for read in reads[name]:
                place(read)
            order[name] = known[name]

    for name in sorted(known, key=lambda name: name == GOES_ON):
        place(name)
    return tuple(order.values())


@dataclass(frozen=True)
class Checker:
    """Checks one let, and gives the kinds of its parts."""

    let: Let
    known: Mapping[str, Field]
    text: Text
    looks: bool = True  # whether it may look at others
    others: At | None = None

    @property
    def subject(self) -> Expr:
        """Of whom bare names speak."""
        return ME if self.others is None else IT

    def refuse(self, what: str, node: Expr | None = None) -> NoReturn:
        said = "" if node is None else f"'{self.text(node, self.subject)}' "
        name = "goes_on" if self.let.name == GOES_ON else self.let.name
        raise DefinitionError(f"'{name}': {said}{what}")

    def kind(self, node: Expr) -> Field:
        """What a whole value is."""
        looking: list[Quantified | The] = [*parts_of(node, Quantified), *parts_of(node, The)]
        seen = [each.view.words for each in looking]
        if seen and not self.looks:
            self.refuse(
                "looks at others; what a field starts as goes by its own inputs, and what an "
                "output that is a mask or category becomes by features: declare this as a feature, "
                "and name it here.",
                node,
            )
        if len(views := dict.fromkeys(seen)) > 1 and not isinstance(node, Case):
            several = "' and at '".join(views)
            self.refuse(
                f"looks at '{several}': one feature looks at one relation. "
                "Declare one of the statements as a feature of its own, and name it here."
            )
        return self.of(node)

    def of(self, node: Expr) -> Field:
        """What a part is: a mask, a number, a category, or an element (a pointer to it)."""
        match node:
            case Const(value) if isinstance(value, bool):
                return MASK
            case Const(value):
                return Field(
                    "graph", "number", bits=value.bit_length() + (value < 0), signed=value < 0
                )
            case Me():
                return Field("graph", "pointer", to=self.let.at)
            case It() if self.others is not None:
                return Field("graph", "pointer", to=self.others)
            case Get(column, at, of):
                return self._column(node, column, at, of)
            case Not(term):
                return self.truth(term)
            case And(terms) | Or(terms):
                for term in terms:
                    self.truth(term)
                return MASK
            case Compare():
                return self._compared(node)
            case Arith(a, _, b):
                for part in (a, b):
                    if (found := self.of(part)).kind != "number":
                        self.refuse(f"is {_said(found)}, and no number to reckon with.", part)
                if len(speaks_of(node)) > 1:
                    self.refuse(
                        "reckons with numbers of two elements: each side of a comparison speaks "
                        "of one.",
                        node,
                    )
                return SUM
            case Within(of):
                return self.of(of)
            case Case(cases, otherwise):
                kinds = [self.of(otherwise)]
                for condition, value in cases:
                    self._one_relation(condition, value)
                    self.truth(condition)
                    kinds.append(self.of(value))
                wide = max(kinds, key=lambda kind: kind.bits)
                if any((kind.kind, kind.to) != (wide.kind, wide.to) for kind in kinds):
                    category = next((kind for kind in kinds if kind.kind == "category"), None)
                    if category is None or {kind.kind for kind in kinds} > {"category", "number"}:
                        self.refuse("has values of different kinds: give all of one.", node)
                    return category
                return wide
            case Quantified(_, view, body):
                self._of_others(view).truth(body)
                return MASK
            case The(view, where, value, by):
                inner = self._of_others(view)
                inner.truth(where)
                for key in by:
                    inner.of(key)
                if speaks_of(value) - {IT}:
                    self.refuse("takes a value of the one in view: say its.", node)
                return inner.of(value)
        return self.refuse("is no part of a statement that is written.", node)

    def _one_relation(self, condition: Expr, value: Expr) -> None:
        looked = [each.view.words for each in parts_of(condition, Quantified)]
        if len(set(looked)) > 1 or parts_of(condition, The):
            self.refuse("looks at several relations: declare a feature for one.", condition)

    def _column(self, node: Get, column: str, at: At, of: Expr) -> Field:
        from_ = self.of(of)
        if from_.kind != "pointer" or from_.to != at:
            self.refuse(f"asks {_said(from_)} for {column}, which a {at} has.", node)
        field = given_column(at, column) or self.known.get(column)
        if field is None or field.at != at:
            self.refuse(f"names {column}, which a {at} does not have, or not yet.", node)
        return field

    def truth(self, node: Expr) -> Field:
        """A mask, or refuse."""
        found = self.of(node)
        if found.kind != "mask":
            hint = (
                f": write {self.text(node, self.subject)} is {found.labels[0]}"
                if found.labels
                else ""
            )
            self.refuse(f"is {_said(found)}, where something true or false stands{hint}.", node)
        return MASK

    def _compared(self, node: Compare) -> Field:
        if len(node.left) != len(node.right):
            self.refuse("compares more values with fewer.", node)
        for side in (node.left, node.right):
            if len(speaks_of(*side)) > 1:
                self.refuse("compares: each side speaks of one element, all its or all my.", node)
        pairs = [(self.of(a), self.of(b)) for a, b in zip(node.left, node.right, strict=True)]
        for (a, b), given in zip(pairs, node.right, strict=True):
            kinds = {a.kind, b.kind}
            if kinds == {"pointer"}:
                if len(pairs) > 1 or node.op not in ("=", "!=") or a.to != b.to:
                    self.refuse(
                        "compares elements: two pointers are compared by = or !=, one pair, to "
                        "one table.",
                        node,
                    )
            elif a.kind == "category" and isinstance(given, Const):
                if len(pairs) > 1 or node.op != "=" or not 0 <= given.value < len(a.labels):
                    self.refuse("is no class: classes are told by is.", node)
            elif kinds != {"number"}:
                self.refuse(
                    "compares what is no number: a number is compared with a number; classes are "
                    "told by is.",
                    node,
                )
            elif a.signed != b.signed and (b if a.signed else a).bits >= MOST_BITS:
                self.refuse(f"compares {MOST_BITS} bits with a signed number: one less.", node)
        return MASK

    def _of_others(self, view: View) -> Checker:
        if self.others is not None:
            self.refuse(
                "looks on from another element; a statement looks only one step: declare the "
                "inner one as a feature."
            )
        me = replace(self, others=view.rows)
        for mine, its in view.joins:
            if me.of(mine).to != me.of(its).to:
                self.refuse(f"sits at the {self.let.at}, which has no '{view.words}'.")
        return replace(self, others=me.of(view.it).to)


def _fits(let: Let, field: Field | None, checker: Checker, part: str) -> None:
    """Refuse a value that its field cannot hold."""
    if field is None or field.at != let.at:
        raise DefinitionError(f"'{let.name}' {part}, and is no state at the {let.at}.")
    found, does = checker.kind(let.value), "starts as" if part == "start" else part
    otherwise = let.value.otherwise if isinstance(let.value, Case) else let.value
    ends = [*(end for _, end in let.cases), otherwise]
    classes = field.kind == "category" and all(
        isinstance(end, Const) or checker.of(end).kind == "category" for end in ends
    )
    if found.kind == "number" and (classes or field.kind == "number"):
        least, most = (0, len(field.labels) - 1) if classes else field.bounds
        for end in ends:
            if isinstance(end, Const) and not least <= end.value <= most:
                raise DefinitionError(
                    f"'{let.name}' {does} {end.value}, which has no room: it holds {least} to "
                    f"{most}."
                )
    elif (found.kind, found.to) != (field.kind, field.to):
        raise DefinitionError(
            f"'{let.name}' is {_said(field)}, and {does} {_said(found)}: name a value of its kind."
        )


def _said(field: Field) -> str:
    return f"a {field.to}" if field.kind == "pointer" else f"a {field.kind}"
