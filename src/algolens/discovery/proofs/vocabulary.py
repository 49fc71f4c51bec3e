"""What can be said of an element of a run, for an invariant: literals from fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from algolens.discovery.proofs.parts import PART, Parts
from algolens.discovery.proofs.theory import WIDE
from algolens.fields import Category, Field, Mask, Number, Pointer
from algolens.graphs import Location
from algolens.language.relations import RELATIONS, Relation
from algolens.logic.formula import And, Formula, Not, conjunction
from algolens.looks import Comparison, Order, Quantified, Quantity, Term, Test, Whose
from algolens.looks.language import atoms, terms
from algolens.looks.scope import NUMBER

NODE, EDGE, LINK, GRAPH = Location
BEGUN, ZERO = f"has{WIDE}begun", "constant_0"
GHOSTS = {
    BEGUN: Field(GRAPH, Mask()),  # whether a step has been taken
    ZERO: Field(GRAPH, Number(1)),
}
MY, ITS = Whose.MY, Whose.ITS
STEPS_OF = {
    NODE: ((), ("graph",)),
    EDGE: ((), ("one_end",), ("other_end",), ("graph",)),
    LINK: ((), ("sender",), ("receiver",), ("edge",), ("graph",)),
    GRAPH: ((),),
}


class Vocabulary:
    """What can be said of an element: literals from fields, in the language of looks.

    Parameters
    ----------
    fields : mapping of str to Field
        Inputs and state.
    state : collection of str
        What changes.
    declared : sequence
        Quantified statements of both declarations, over fields alone, with their locations.
    counts : sequence of str
        Of how many nodes masks are true.
    parts : Parts
        Of the graph.
    """

    def __init__(
        self,
        fields: Mapping[str, Field],
        state: Sequence[str],
        declared: Sequence[tuple[Location, Quantified]],
        units: Mapping[str, object],
        counts: Sequence[str],
        parts: Parts,
    ) -> None:
        self.fields, self.state = dict(fields), tuple(state)
        self.declared, self.units, self.counts, self.parts = declared, units, counts, parts
        self.relations = list(dict.fromkeys(atom.relation for _, atom in declared))

    def _paths(self, at: Location) -> Iterator[tuple[tuple[str, ...], Location]]:
        """Ways from an element to others: along the graph, then along one pointer."""
        for steps in STEPS_OF[at]:
            place = at
            for step in steps:
                place = {"graph": GRAPH, "edge": EDGE}.get(step, NODE)
            yield steps, place
            if steps == ("graph",):
                continue
            for name, field in self.fields.items():
                kind = field.kind
                if field.location is place and isinstance(kind, Pointer):
                    yield (*steps, name), kind.to

    def tests(self, at: Location, whose: Whose = MY, far: bool = False) -> list[Formula]:
        """Masks and classes of an element, and of those that it leads to."""
        made: list[Formula] = []
        for path, place in self._paths(at):
            if not far and any(step in self.fields for step in path):
                continue
            for name, field in {**self.fields, **GHOSTS}.items():
                if field.location is not place or (name not in self.state and name != BEGUN):
                    continue
                if isinstance(field.kind, Mask):
                    made.append(Test(Term(whose, (*path, name))))
                elif isinstance(field.kind, Category):
                    made += [Test(Term(whose, (*path, name)), label) for label in field.kind.labels]
        return made

    def meetings(self, at: Location) -> list[Formula]:
        """Whether two ways lead to one element."""
        ends = [(path, place) for path, place in self._paths(at) if place is not GRAPH]
        ends += [
            (("graph", name), field.kind.to)
            for name, field in self.fields.items()
            if field.location is GRAPH and isinstance(field.kind, Pointer) and at is not GRAPH
        ]
        for path, place in list(ends):  # along a pointer twice
            if path and path[-1] in self.fields and len(path) == 1 and place is at:
                ends.append(((*path, path[-1]), place))
        pairs = [
            (one, other)
            for (one, place), (other, where) in combinations(ends, 2)
            if place is where and any(word in self.fields for word in (*one, *other))
        ]
        pairs += [((name, PART), (PART,)) for name in self.parts.pointers if at is NODE]
        return [
            Comparison((Term(MY, one),), Order.EQUAL, (Term(MY, other),)) for one, other in pairs
        ]

    def numbers(self, at: Location) -> list[tuple[tuple[str, ...], object]]:
        """Numbers of an element and of those that it leads to, and what they are counted in."""
        made: list[tuple[tuple[str, ...], object]] = []
        for path, place in self._paths(at):
            if place is NODE:
                made.append(((*path, NUMBER), NUMBER))
            for name, field in self.fields.items():
                if field.location is place and isinstance(field.kind, Number):
                    made.append(((*path, name), self.units.get(name, name)))
        return made

    def comparisons(self, at: Location) -> list[Formula]:
        """How numbers of an element compare, and with 0."""
        made: list[Formula] = []
        numbers = self.numbers(at)
        for (one, unit), (other, its) in combinations(numbers, 2):
            if unit == its and self._changes(one, other):
                made += [
                    Comparison((Term(MY, one),), order, (Term(MY, other),))
                    for order in (Order.LOWER, Order.EQUAL, Order.HIGHER)
                ]
        zero = Term(MY, (ZERO,) if at is GRAPH else ("graph", ZERO))
        for one, unit in numbers:
            if unit != NUMBER and self._changes(one):
                made += [
                    Comparison((Term(MY, one),), order, (zero,))
                    for order in (Order.EQUAL, Order.HIGHER)
                ]
        made += [
            Comparison((Term(MY, (name,)),), Order.EQUAL, (Term(MY, (count,)),))
            for name in (self.state if at is GRAPH else ())
            if self.fields[name].location is GRAPH and isinstance(self.fields[name].kind, Number)
            for count in self.counts
        ]
        return made

    def _changes(self, *paths: tuple[str, ...]) -> bool:
        return any(word in self.state for path in paths for word in path)

    def views(self, at: Location, compared: bool) -> list[Formula]:
        """What some of those in view are."""
        made: list[Formula] = [atom for place, atom in self.declared if place is at]
        made += [it for place, atom in self.declared if place is at for it in self._varied(atom)]
        everyone = [relation for relation in RELATIONS if relation.own is at]
        used = [
            relation
            for relation in everyone
            if relation in self.relations
            or relation.words[0] in ("other node", "node", "predecessor", "neighbour")
        ]
        used += [relation for relation in self.relations if relation.pointer and relation.own is at]
        for relation in dict.fromkeys(used):
            if relation.pointer == "POINTER":
                continue
            for test in self.tests(relation.others, ITS):
                path = test.term.path if isinstance(test, Test) else ()
                if path[0] == "graph":
                    continue
                made += [_some(relation, test), _some(relation, Not(test))]
            if compared and relation.words[0] in ("predecessor", "neighbour"):
                made += self._compared_in_view(at, relation)
        return list(dict.fromkeys(made))

    def _varied(self, atom: Quantified) -> Iterator[Formula]:
        """What is declared of others in view that compare with the element, said of other classes
        and of those that compare the other way round.
        """
        parts = atom.counted.terms if isinstance(atom.counted, And) else ()
        if not any(isinstance(part, Comparison) for part in parts):
            return
        for some in product(*map(self._variants, parts)):
            yield _some(atom.relation, conjunction(*some))

    def _variants(self, part: Formula) -> list[Formula]:
        match part:
            case Comparison(left, Order.LOWER | Order.HIGHER as order, right):
                return [part, Comparison(left, order.reversed, right)]
            case Test(term, str()) | Not(Test(term, str())):
                kind = self.fields[term.path[-1]].kind
                assert isinstance(kind, Category)
                tests = [Test(term, label) for label in kind.labels]
                return [*tests, *map(Not, tests)]
        return [part]

    def _compared_in_view(self, at: Location, relation: Relation) -> Iterator[Formula]:
        for name, field in self.fields.items():
            if field.location is at and isinstance(field.kind, Pointer) and field.kind.to is at:
                yield _some(
                    relation, Comparison((Term(ITS, ()),), Order.EQUAL, (Term(MY, (name,)),))
                )
        for one, unit in self.numbers(relation.others):
            for other, its in self.numbers(at):
                if unit == its and self._changes(one, other) and "graph" not in (*one, *other):
                    for order in (Order.LOWER, Order.NOT_HIGHER):
                        yield _some(
                            relation, Comparison((Term(ITS, one),), order, (Term(MY, other),))
                        )


def _some(relation: Relation, body: Formula) -> Quantified:
    return Quantified(Quantity.SOME, relation, body)


def over_fields(formula: Formula, fields: Mapping[str, Field]) -> Iterator[Quantified]:
    """Quantified statements of a formula that name fields alone."""
    known = {*fields, NUMBER, "sender", "receiver", "edge", "one_end", "other_end", "graph"}
    for atom in atoms(formula):
        if isinstance(atom, Quantified) and all(
            word in known for term in terms(atom.body) for word in term.path
        ):
            yield atom
