"""What can be said of a row of a run, for an invariant: literals from fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import TYPE_CHECKING

from algolens.language.ir import (
    IT,
    ME,
    NUMBER,
    STEPS,
    And,
    At,
    Compare,
    Const,
    Expr,
    Field,
    Get,
    Not,
    Op,
    Quantified,
    columns_of,
    conjunction,
    parts_of,
)
from algolens.language.lower import TURNED
from algolens.language.parse import Parser, parse
from algolens.language.relations import RELATIONS
from algolens.proofs.equality.ghosts import BEGUN, PART

if TYPE_CHECKING:
    from algolens.proofs.equality.proof import Proof

Path = tuple[str, ...]
Paths = list[tuple[Path, At]]  # and where each leads
Numbers = list[tuple[Path, object]]  # and what each is counted in
STEPS_OF: dict[At, tuple[Path, ...]] = {
    "node": ((), ("graph",)),
    "edge": ((), ("one_end",), ("other_end",), ("graph",)),
    "link": ((), ("sender",), ("receiver",), ("edge",), ("graph",)),
    "graph": ((),),
}
ALWAYS = ("other node", "node", "predecessor", "neighbour")  # relations that are always spoken of
AROUND = ("predecessor", "neighbour")


class Vocabulary:
    """What can be said of a row: literals from fields, as HIR.

    Parameters
    ----------
    proof : Proof
        Two programs: their quantified statements over fields alone are taken up.
    fields : mapping of str to Field
        All that may be spoken of.
    """

    def __init__(self, proof: Proof, fields: Mapping[str, Field]) -> None:
        self.all, self.state, self.proof = fields, tuple(proof.fields), proof
        self.fields = proof.known.inputs | proof.fields
        units = proof.algorithm.declaration.units
        self.units = {name: unit.members for name, unit in units.items()}
        named = {(field.at, name) for name, field in self.fields.items()} | STEPS.keys()
        self.declared = [
            (let.at, atom)
            for program in (proof.found, proof.known)
            for let in program.lets
            for atom in parts_of(let.value, Quantified)
            if all(column == NUMBER or (at, column) in named for at, column in columns_of(atom))
        ]

    def said(self, at: At, text: str) -> Expr:
        """A statement that is written."""
        return parse(Parser.statement, text, at, self.all)

    def end(self, at: At, word: str) -> At | None:
        """The table that a step leads to; None of a value."""
        return STEPS.get((at, word)) or (self.all[word].to if word in self.all else None)

    def _get(self, at: At, path: Path, of: Expr = ME) -> Expr:
        """What a path leads to."""
        for word in path:
            of, at = Get(word, at, of), self.end(at, word) or at
        return of

    def _meet(self, at: At, one: Path, op: Op, other: Path) -> Expr:
        return compare(self._get(at, one), op, self._get(at, other))

    def _paths(self, at: At) -> Iterator[tuple[Path, At]]:
        """Ways from a row to others: along the graph, then along one pointer."""
        for steps in STEPS_OF[at]:
            place = at
            for step in steps:
                place = STEPS[place, step]
            yield steps, place
            for name, field in self.fields.items() if steps != ("graph",) else ():
                if field.at == place and field.to is not None:
                    yield (*steps, name), field.to

    def tests(self, at: At, of: Expr = ME, far: bool = False) -> list[Expr]:
        """Masks and classes of a row, and of those that it leads to."""
        made: list[Expr] = []
        for path, place in self._paths(at):
            is_far = any(step in self.fields for step in path)
            if (is_far and not far) or (of != ME and path[:1] == ("graph",)):
                continue
            for name in (*self.state, BEGUN):
                if self.all[name].at == place:
                    value = self._get(at, (*path, name), of)
                    made += [value] if self.all[name].kind == "mask" else self._classes(value)
        return made

    def _classes(self, value: Expr) -> list[Expr]:
        """Each class that a value may be; none of what is no category."""
        match value:
            case Get(column) if column in self.all:
                labels = range(len(self.all[column].labels))
                return [compare(value, "=", Const(label)) for label in labels]
        return []

    def meetings(self, at: At) -> list[Expr]:
        """Whether two ways lead to one row."""
        ends: Paths = [one for one in self._paths(at) if one[1] != "graph"]
        ends += [
            (("graph", name), field.to)
            for name, field in self.fields.items()
            if field.at == "graph" != at and field.to is not None
        ]
        # along a pointer twice
        ends += [
            (path * 2, place)
            for path, place in ends
            if len(path) == 1 and path[0] in self.fields and place == at
        ]
        pairs = [
            (one, other)
            for (one, place), (other, where) in combinations(ends, 2)
            if place == where and any(word in self.fields for word in (*one, *other))
        ]
        if at == "node":
            pairs += [((name, PART), (PART,)) for name in self.proof.parts.pointers]
        return [self._meet(at, one, "=", other) for one, other in pairs]

    def numbers(self, at: At) -> Numbers:
        """Numbers of a row and of those that it leads to, and what they are counted in."""
        made: Numbers = []
        for path, place in self._paths(at):
            if place == "node":
                made.append(((*path, NUMBER), NUMBER))
            for name, field in self.fields.items():
                if field.at == place and field.kind == "number":
                    made.append(((*path, name), self.units.get(name, name)))
        return made

    def comparisons(self, at: At) -> list[Expr]:
        """How numbers of a row compare, and with 0."""
        numbers = self.numbers(at)
        made = [
            self._meet(at, one, op, other)
            for (one, unit), (other, its) in combinations(numbers, 2)
            if unit == its and self._changes(one, other)
            for op in ("<", "=", ">")
        ]
        made += [
            compare(self._get(at, one), op, Const(0))
            for one, unit in numbers
            if unit != NUMBER and self._changes(one)
            for op in ("=", ">")
        ]
        made += [
            self._meet(at, (name,), "=", (count,))
            for name in (self.state if at == "graph" else ())
            if (self.fields[name].at, self.fields[name].kind) == ("graph", "number")
            for count in self.proof.counts.fields
        ]
        return made

    def _changes(self, *paths: Path) -> bool:
        return any(word in self.state for path in paths for word in path)

    def views(self, at: At, compared: bool) -> list[Expr]:
        """What some of those in view are."""
        declared = [atom for place, atom in self.declared if place == at]
        made: list[Expr] = [*declared, *(it for atom in declared for it in self._varied(atom))]
        used = {atom.view.words: atom.view for atom in declared}
        known = [one.phrase(1) for one in RELATIONS if one.own == at]
        words = [one for one in known if one in used or one in ALWAYS]
        for one in dict.fromkeys((*words, *used)):
            (some,) = parts_of(self.said(at, f"some {one}"), Quantified)
            view = used.get(one) or some.view
            others: At = "node" if view.it != IT else view.rows
            bodies = [body for test in self.tests(others, IT) for body in (test, Not(test))]
            if compared and one in AROUND:
                bodies += self._compared(at, others)
            made += [Quantified("some", view, body) for body in bodies]
        return list(dict.fromkeys(made))

    def _varied(self, atom: Quantified) -> Iterator[Expr]:
        """What is declared of others in view that compare with the row, said of other classes and
        of those that compare the other way round.
        """
        parts = atom.body.terms if isinstance(atom.body, And) else ()
        if any(isinstance(part, Compare) and not self._is_class(part) for part in parts):
            for some in product(*map(self._variants, parts)):
                yield Quantified("some", atom.view, conjunction(*some))

    def _is_class(self, part: Compare) -> bool:
        return part in self._classes(part.left[0])

    def _variants(self, part: Expr) -> list[Expr]:
        match part:
            case Compare(left, "<" | ">" as op, right):
                return [part, Compare(left, TURNED[op], right)]
            case Compare((value,)) | Not(Compare((value,))) if tests := self._classes(value):
                return [*tests, *map(Not, tests)]
        return [part]

    def _compared(self, at: At, others: At) -> Iterator[Expr]:
        for name, field in self.fields.items():
            if field.at == field.to == at:
                yield compare(IT, "=", self._get(at, (name,)))
        for one, unit in self.numbers(others):
            for other, its in self.numbers(at):
                if unit == its and self._changes(one, other) and "graph" not in (*one, *other):
                    for op in ("<", "<="):
                        yield compare(self._get(others, one, IT), op, self._get(at, other))


def compare(left: Expr, op: Op, right: Expr) -> Expr:
    """How two values compare."""
    return Compare((left,), op, (right,))
