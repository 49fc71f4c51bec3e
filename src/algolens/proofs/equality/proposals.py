"""Candidates for an invariant, in the order in which they are tried.

Those of searches that go back come first, because what is under way there forms a stack. A mask is
true of one node at most, the top. Nodes under way are told by one or two literals, each but the
lowest points to the one below it, and a time grows from the bottom to the top. That the stack is
empty where there is no top follows from these clauses, and not from fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

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
from algolens.language.text import Text
from algolens.proofs.equality.candidates import CandidateClause, SampledStates, clauses
from algolens.proofs.equality.ghosts import BEGUN, PART, STEPS_TAKEN

if TYPE_CHECKING:
    from algolens.proofs.equality.proof import Proof

Texts = tuple[str, ...]  # literals of a clause; "{}" stands before a field that is the node's own


class Stacks:
    """Stacks that states of runs have.

    Parameters
    ----------
    states : SampledStates
        That runs reach.
    words : Vocabulary
        Fields.
    """

    def __init__(self, states: SampledStates, words: Vocabulary) -> None:
        self.states, self.words, history = states, words, words.proof.history

        def of_kind(at: str, kind: str) -> list[str]:
            fields = ((name, words.fields[name]) for name in words.state)
            return [name for name, field in fields if (field.at, field.kind) == (at, kind)]

        self.masks, self.numbers = of_kind("node", "mask"), of_kind("node", "number")
        self.pointers = [
            name for name in of_kind("node", "pointer") if words.all[name].to == "node"
        ]
        self.times = [*history.times, *self.numbers]
        self.of_graph = of_kind("graph", "number")
        told = [f"{{}}{name}" for name in (*self.masks, *history.seen)]
        told += [f"{{}}{name} = 0" for name in self.numbers]
        self.literals = [it for one in told for it in (one, f"~({one})")]

    def groups(self) -> Iterator[list[CandidateClause]]:
        """Clauses that all states satisfy, of one stack after the other; then of numbers."""
        for top, pointer, members in self._members():
            for name in self.times:
                in_time = self._clauses(self._in_time(top, pointer, members, name))
                if all(map(self._holds, in_time)):
                    of_stack = self._clauses(self._of(top, pointer, members))
                    yield self._that_hold([*of_stack, *in_time])
                    break
        yield self._that_hold(self._clauses(self._of_numbers()))

    def _clauses(self, made: Iterable[Texts]) -> list[CandidateClause]:
        return [CandidateClause("node", tuple(map(self._said, texts))) for texts in made]

    def _said(self, text: str) -> Expr:
        return self.words.said("node", text.replace("{}", ""))

    def _that_hold(self, clauses: Iterable[CandidateClause]) -> list[CandidateClause]:
        return [*filter(self._holds, dict.fromkeys(clauses))]

    def _holds(self, clause: CandidateClause) -> bool:
        return bool(self.states.table("node", clause.literals, True).any(1).all())

    def _members(self) -> Iterator[tuple[str, str, Texts]]:
        """The top's mask, the pointer below, and by what members are told."""
        count = len(self.literals)
        for pointer in self.pointers:
            below = [text.format(f"{pointer}'s ") for text in self.literals]
            others = [f"some other node ({name})" for name in self.masks]
            texts = map(self._said, [*self.literals, *below, *self.masks, *others])
            rows = self.states.table("node", list(texts), True)
            here, there = rows[:, :count], rows[:, count : 2 * count]
            for place, top in enumerate(self.masks, 2 * count):
                is_top, is_another = rows[:, place], rows[:, place + len(self.masks)]
                if not is_top.any() or (is_top & is_another).any():
                    continue
                of_top, alone = np.flatnonzero(here[is_top].all(0)).tolist(), set[int]()
                for chosen in (*combinations(of_top, 1), *combinations(of_top, 2)):
                    if alone & set(chosen):
                        continue
                    belongs = here[:, chosen].all(1)
                    rest = belongs & ~is_top
                    if rest.any() and is_another[rest].all() and there[belongs][:, chosen].all():
                        alone |= set(chosen) if len(chosen) == 1 else set()
                        yield top, pointer, tuple(self.literals[n] for n in chosen)

    def _of(self, top: str, pointer: str, members: Texts) -> Iterator[Texts]:
        """What is true of the top, of members, and of those below them."""
        is_another, is_lowest = f"some other node ({top})", f"me = {pointer}"
        outside = _negated(members)
        for relation in AROUND:
            yield is_lowest, f"some {relation} (it = my {pointer})"
        yield members  # one that never was under way does not look as if it had left
        yield f"~{top}", f"~{is_another}"
        yield *outside, top, is_another
        for literal in members:
            below = literal.format(f"{pointer}'s ")
            yield f"~{top}", literal
            yield f"~{top}", below
            yield *outside, below
            # what was never under way points to itself
            yield literal, is_lowest

    def _of_numbers(self) -> Iterator[Texts]:
        """That numbers differ but where they are 0, and that none is above one of the graph."""
        for name in self.numbers:
            yield f"{name} = 0", f"no other node (its {name} = my {name})"
            for of_graph in self.of_graph:
                yield (f"{name} <= graph's {of_graph}",)

    def _in_time(self, top: str, pointer: str, members: Texts, name: str) -> Iterator[Texts]:
        """What is true of a time that grows to the top: no other member is later than the top,
        none is between a member and the one below it, and none below the lowest.
        """
        outside, is_lowest = _negated(members), f"me = {pointer}"
        its = " & ".join(f"{literal}" for literal in members)
        earlier = f"{its} & its {name} < my {name}"
        yield *outside, is_lowest, f"{pointer}'s {name} < {name}"
        yield f"~{top}", f"no other node ({its} & its {name} >= my {name})"
        yield *outside, f"~({is_lowest})", f"no other node ({earlier})"
        between = f"it != my {pointer} & its {name} >= my {pointer}'s {name}"
        yield *outside, f"no other node ({earlier} & {between})"
        yield (f"{name} <= graph's {STEPS_TAKEN}",)


def _negated(literals: Sequence[str]) -> Texts:
    """What holds where a literal does not, for each."""
    return tuple(
        text.removeprefix("~(").removesuffix(")") if text.startswith("~(") else f"~({text})"
        for text in literals
    )


class Proposals:
    """Clauses that hold in all states of some runs.

    Parameters
    ----------
    proof : Proof
        Two programs, and runs that candidates are held against.
    """

    def __init__(self, proof: Proof) -> None:
        fields = proof.known.inputs | proof.fields | {BEGUN: Field("graph", "mask")}
        for ghost in (proof.history, proof.counts, proof.parts):
            fields |= ghost.fields
        self.text = Text({(one.at, name): one.labels for name, one in fields.items() if one.labels})
        self.states, self.words = SampledStates(proof, fields), Vocabulary(proof, fields)
        self.near: list[At] = ["node", "graph"]
        if any(one.at == "edge" for one in proof.fields.values()):
            self.near.append("edge")

    def stacks(self) -> Iterator[list[CandidateClause]]:
        """Groups that are likely to be kept as a whole."""
        return Stacks(self.states, self.words).groups()

    def rounds(self) -> Iterator[list[CandidateClause]]:
        """Candidates, the simplest first."""
        words = self.words

        def simple(at: At) -> list[Expr]:
            return [*words.tests(at), *words.views(at, compared=False)]

        def larger(at: At) -> list[Expr]:
            related = [*words.meetings(at), *words.comparisons(at)]
            return [*words.tests(at, far=True), *related, *words.views(at, compared=True)]

        def few(at: At) -> list[Expr]:
            return [*words.tests(at), *words.meetings(at)]

        for places, literals, size in (
            (self.near, simple, 2),
            ([*self.near, "link"], larger, 2),
            (self.near, few, 3),
        ):
            yield [c for at in places for c in clauses(self.states, at, literals(at), size)]


# ---- what can be said of a row of a run: literals from fields


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
