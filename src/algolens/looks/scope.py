"""What the words of a look stand for: fields, and steps from an element to one that it leads to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from algolens.errors import DefinitionError
from algolens.fields import Field, Kind, Number, Pointer
from algolens.graphs import Location
from algolens.language.relations import Relation
from algolens.looks.terms import LAST, Term, Whose

# every node, edge and link has a number: its index in its graph; both links of an edge have its
NUMBER = "number"
NUMBER_BITS = 31
NUMBER_KIND = Number(NUMBER_BITS)

# steps that the graph itself gives
STEPS: Mapping[tuple[Location, str], Location] = {
    (Location.LINK, "sender"): Location.NODE,
    (Location.LINK, "receiver"): Location.NODE,
    (Location.LINK, "edge"): Location.EDGE,
    (Location.LINK, "reverse"): Location.LINK,
    (Location.EDGE, "one_end"): Location.NODE,
    (Location.EDGE, "other_end"): Location.NODE,
    (Location.NODE, "graph"): Location.GRAPH,
    (Location.EDGE, "graph"): Location.GRAPH,
    (Location.LINK, "graph"): Location.GRAPH,
}


@dataclass(frozen=True)
class ResolvedTerm:
    """A term whose words are known: the steps from element to element, and the field at the end."""

    own: Location  # where the element sits that it begins with
    steps: tuple[str, ...]
    at: Location  # where they lead
    # None: the element itself that they lead to, or the one that a pointer at the end points to
    field: str | None
    kind: Kind | None  # of the field; None of an element


@dataclass(frozen=True)
class Scope:
    """The fields that a look may name, and where they sit.

    Parameters
    ----------
    fields : mapping of str to Field
        Inputs, state, sums and earlier observations, by the names that a look calls them.
    """

    fields: Mapping[str, Field]

    def resolve(self, term: Term, own: Location, other: Location | None) -> ResolvedTerm:
        """What a term stands for.

        Parameters
        ----------
        term : Term
            The words.
        own, other : Location
            Where the element sits that looks, and the one it sees; None outside of quantifiers.

        Raises
        ------
        DefinitionError
            Where a word names nothing, or leads nowhere.
        """
        at = own if term.whose is Whose.MY else other
        if at is None:
            raise DefinitionError(
                f"'{term}' speaks of another one, and stands outside of every quantifier."
            )
        begin, steps = at, []
        for place, word in enumerate(term.path):
            kind = self._kind(term, word, at)
            if kind is None:
                steps.append(word)
                at = self.end_of(word, at)
            elif place < len(term.path) - 1:
                raise DefinitionError(
                    f"'{term}': {word} is a {type(kind).__name__} and leads nowhere: take '{word}' "
                    "alone."
                )
            else:
                return ResolvedTerm(begin, tuple(steps), at, word, kind)
        return ResolvedTerm(begin, tuple(steps), at, None, None)

    def end_of(self, step: str, at: Location) -> Location:
        """Where the element sits that a step from a location leads to."""
        if (at, step) in STEPS:
            return STEPS[at, step]
        kind = self.fields[step].kind
        assert isinstance(kind, Pointer)
        return kind.to

    def _kind(self, term: Term, word: str, at: Location) -> Kind | None:
        """The kind of a field; None of a step."""
        if word == NUMBER and at is not Location.GRAPH:
            return NUMBER_KIND
        if (at, word) in STEPS:
            return None
        if word not in self.fields:
            here = [name for name, field in self.fields.items() if field.location is at]
            here += [step for place, step in STEPS if place is at]
            here += [NUMBER] if at is not Location.GRAPH else []
            counted = " To count, write at least 4 neighbours." if word == "degree" else ""
            raise DefinitionError(
                f"'{term}': a {at.value} has no {word}, or not yet; at a {at.value} there are: "
                f"{', '.join(here)}.{counted}"
            )
        field = self.fields[word]
        if field.location is not at:
            raise DefinitionError(
                f"'{term}': {word} sits at the {field.location.value}, and this speaks of a "
                f"{at.value}."
            )
        return None if isinstance(field.kind, Pointer) else field.kind

    def check_relation(self, relation: Relation, name: str, location: Location) -> None:
        """Refuses a relation of elements elsewhere, and one by what is no pointer to nodes.

        Parameters
        ----------
        name, location
            What looks at it, and where that sits.
        """
        if relation.own is not location:
            raise DefinitionError(
                f"'{name}' sits at the {location.value}, and a {relation.own.value} has a "
                f"'{relation.phrase(1)}': put it there, or look at another relation."
            )
        for pointer in relation.pointers:
            term = self.resolve(Term(Whose.MY, (pointer,)), Location.NODE, None)
            if term.kind is not None or term.at is not Location.NODE:
                raise DefinitionError(
                    f"'{relation.phrase(1)}': {pointer} is no pointer to nodes: name one that is."
                )


def carried(name: str) -> str:
    """How a look calls what a concept or hint was before the step."""
    return LAST + name
