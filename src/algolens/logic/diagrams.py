"""Decision diagrams (Bryant 1986): formulas as shared graphs, equal where the formulas are
equivalent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from algolens.logic.formula import And, Concept, Constant, Formula, Not, Or, concepts, conjunction

NEVER, ALWAYS = 0, 1  # the two diagrams without a question


class Diagrams:
    """Formulas over some names, each as the number of a diagram.

    A diagram asks for the first name that matters and goes on with one diagram where that is false
    and another where it is true. Equivalent formulas have the same number. There is no table of all
    patterns, so many names do no harm as long as few of them matter at a time.

    >>> a, b = concepts("a", "b")
    >>> diagrams = Diagrams(["a", "b"])
    >>> diagrams.of(~(a & b)) == diagrams.of(~a | ~b)
    True
    >>> diagrams.pattern(diagrams.of(a & ~b))
    Formula('a & ~b')
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        self._places = {name: place for place, name in enumerate(self.names)}
        last = len(self.names)  # behind every name
        # the name's place, where it is false, where it is true
        self._nodes = [(last, NEVER, NEVER), (last, ALWAYS, ALWAYS)]
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._chosen: dict[tuple[int, int, int], int] = {}

    def of(self, formula: Formula) -> int:
        """The diagram of a formula."""
        match formula:
            case Constant(value):
                return ALWAYS if value else NEVER
            case Concept(name):
                return self._node(self._places[name], NEVER, ALWAYS)
            case Not(term):
                return self.choose(self.of(term), NEVER, ALWAYS)
            case And(terms):
                result = ALWAYS
                for term in terms:
                    result = self.choose(result, self.of(term), NEVER)
                return result
            case Or(terms):
                result = NEVER
                for term in terms:
                    result = self.choose(result, ALWAYS, self.of(term))
                return result
        raise TypeError(f"not a formula: {formula!r}")

    def choose(self, test: int, yes: int, no: int) -> int:
        """The diagram that is ``yes`` where ``test`` holds, and ``no`` elsewhere."""
        if test in (NEVER, ALWAYS) or yes == no:
            return no if test == NEVER else yes
        key = (test, yes, no)
        if key not in self._chosen:
            place = min(self._nodes[each][0] for each in key)
            halves = (
                self.choose(*(self._half(each, place, truth) for each in key))
                for truth in (False, True)
            )
            self._chosen[key] = self._node(place, *halves)
        return self._chosen[key]

    def pattern(self, diagram: int) -> Formula:
        """A conjunction under which a diagram that is not NEVER holds, whatever else is so."""
        known, literals = concepts(*self.names), []
        while diagram != ALWAYS:
            place, low, high = self._nodes[diagram]
            literals.append(known[place] if low == NEVER else Not(known[place]))
            diagram = high if low == NEVER else low
        return conjunction(*literals)

    def _node(self, place: int, low: int, high: int) -> int:
        if low == high:
            return low
        key = (place, low, high)
        if key not in self._numbers:
            self._numbers[key] = len(self._nodes)
            self._nodes.append(key)
        return self._numbers[key]

    def _half(self, diagram: int, place: int, truth: bool) -> int:
        """What is left of a diagram once the name at a place is known to be true or false."""
        asked, low, high = self._nodes[diagram]
        return diagram if asked != place else high if truth else low


def not_exactly_one(rules: Mapping[str, Formula]) -> tuple[Formula, tuple[str, ...]] | None:
    """A pattern on which two of the rules hold, or none, and which they are; None where exactly one
    holds on every pattern.

    >>> a, b = concepts("a", "b")
    >>> not_exactly_one({"0": a, "1": ~a & b})
    (Formula('~a & ~b'), ())
    >>> not_exactly_one({"0": a, "1": ~a | b})
    (Formula('a & b'), ('0', '1'))
    >>> not_exactly_one({"0": a, "1": ~a})
    """
    diagrams = Diagrams(dict.fromkeys(name for rule in rules.values() for name in rule.names))
    holds = {label: diagrams.of(rule) for label, rule in rules.items()}
    for one, other in combinations(rules, 2):
        both = diagrams.choose(holds[one], holds[other], NEVER)
        if both != NEVER:
            return diagrams.pattern(both), (one, other)
    left = ALWAYS
    for diagram in holds.values():
        left = diagrams.choose(diagram, NEVER, left)
    return None if left == NEVER else (diagrams.pattern(left), ())
