"""Statements as plain English, from their own structure, where nobody gave a phrase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algolens.logic.formula import TRUE, And, Concept, Constant, Formula, Not, Or
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Test
from algolens.looks.phrases import New, Phrasebook, Template, Those
from algolens.looks.terms import LAST, Term, Whose

if TYPE_CHECKING:
    from algolens.graphs import Location
    from algolens.language.relations import Relation

ORDERS = {
    Order.LOWER: "lower",
    Order.HIGHER: "higher",
    Order.NOT_HIGHER: "no higher",
    Order.NOT_LOWER: "no lower",
    Order.EQUAL: "the same",
    Order.DIFFERENT: "another",
}
SIGNS = {Order.DIFFERENT: "≠", Order.NOT_HIGHER: "≤", Order.NOT_LOWER: "≥"}
VERBS = {
    "is": "is not",
    "has": "does not have",
    "was": "was not",
    "can": "cannot",
    "may": "may not",
}
PARTICIPLES = ("ed", "en", "un")
ADJECTIVES = ("even", "golden", "green", "open", "red", "seven", "ten")  # that end alike
PREPOSITIONS = ("in", "on", "at", "from", "below", "above", "within")


def says(name: str, truth: bool = True) -> str:
    """The name of a mask as what is said of its subject.

    >>> says("is_waiting"), says("visited", False), says("improves", False)
    ('is waiting', 'is not visited', 'does not improve')
    >>> says("has_been_visited", False), says("has_joined", False), says("has_priority", False)
    ('has not been visited', 'has not joined', 'does not have priority')
    >>> says("has_open_neighbour", False)
    'does not have open neighbour'
    """
    words = name.removeprefix(LAST).split("_")
    said, is_perfect = " ".join(words), len(words) > 1 and _is_participle(words[1])
    if words[0] == "has" and is_perfect:
        return said if truth else f"has not {' '.join(words[1:])}"
    if words[0] in VERBS:
        return said if truth else " ".join([VERBS[words[0]], *words[1:]])
    if words[0].endswith("s") and not words[0].endswith("ss"):
        return said if truth else f"does not {' '.join([_stem(words[0]), *words[1:]])}"
    return f"is {'' if truth else 'not '}{said}"


def clause(name: str, truth: bool = True) -> str | None:
    """The name of a mask that has a subject of its own; None where its element is the subject.

    >>> clause("lighter_edges_visited", False), clause("nodes_in_same_set"), clause("visited")
    ('lighter edges are not visited', 'nodes are in same set', None)
    >>> clause("mark_is_open", False)
    'mark is not open'
    """
    words = name.removeprefix(LAST).split("_")
    if words[0] in VERBS or len(words) < 2:
        return None
    verb = "are" if words[-2].endswith("s") else "is"
    negated = "" if truth else " not"
    if "is" in words:
        place = words.index("is")
        return f"{' '.join(words[:place])} is{negated} {' '.join(words[place + 1 :])}"
    if _is_participle(words[-1]):
        return f"{' '.join(words[:-1])} {verb}{negated} {words[-1]}"
    if words[1] in PREPOSITIONS and words[0].endswith("s") and len(words) > 2:
        return f"{words[0]} are{negated} {' '.join(words[1:])}"
    return None


def name_in_english(name: str, truth: bool) -> str:
    """What is said of an element by the name of a mask alone."""
    return clause(name, truth) or f"it {says(name, truth)}"


def _is_participle(word: str) -> bool:
    return word.endswith(PARTICIPLES) and word not in ADJECTIVES


def _stem(verb: str) -> str:
    """A verb of the third person without its ending."""
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1]


def in_english(formula: Formula, *, subject: Whose = Whose.MY) -> str:
    """A statement as English; of those in view, what is said after their name.

    >>> from algolens.looks import parse_look
    >>> typed = "is_waiting & no neighbour (is_waiting & its priority > my priority)"
    >>> in_english(parse_look(typed))
    'it is waiting and no neighbour that is waiting has a higher priority'
    """
    match formula:
        case Constant(value):
            return "always" if value else "never"
        case Not(term):
            return _negated(term, subject)
        case And(terms):
            return _joined(terms, subject, "and", Or)
        case Or(terms):
            return _joined(terms, subject, "or", And)
        case Concept(name):
            return name_in_english(name, True)
        case Test(term, label):
            return _tested(term, label, True, subject)
        case Comparison():
            return compared_in_english(formula, subject)
        case Quantified(quantity, relation, body, count):
            who = _who(relation, count)
            if quantity is Quantity.AT_LEAST:
                return _of_those(f"at least {count} {who}", body, several=count > 1)
            return _of_those(f"{quantity.value} {who}", body)
    raise TypeError(f"{type(formula).__name__} is no part of a look")


def _negated(term: Formula, subject: Whose) -> str:
    match term:
        case Not(inner):
            return in_english(inner, subject=subject)
        case Quantified(Quantity.SOME, relation, body):
            return _of_those(f"no {_who(relation, 1)}", body)
        case Quantified(Quantity.AT_LEAST, relation, body, count):
            return _of_those(f"fewer than {count} {_who(relation, 2)}", body, several=True)
        case Test(inner, label):
            return _tested(inner, label, False, subject)
        case Concept(name):
            return name_in_english(name, False)
        case Comparison(left, order, right):
            return compared_in_english(Comparison(left, order.opposite, right), subject)
    said = in_english(term, subject=subject)
    return f"not ({said})" if isinstance(term, And | Or) else f"not {said}"


def _who(relation: Relation, count: int) -> str:
    """Those in view; the one that looks at them is "this one"."""
    return _plain(relation.phrase(count).replace(" is me", " is this one"))


def _of_those(who: str, body: Formula, *, several: bool = False) -> str:
    """What is said of those in view: the last part of it of those that the others hold of."""
    if body == Constant(True):
        return f"there {'are' if several else 'is'} {who}"
    parts = body.terms if isinstance(body, And) else (body,)
    texts = [_after_name(part) for part in parts]
    texts = [_plural(text) for text in texts] if several else texts
    if len(texts) == 1 or not texts[-1].startswith(("has ", "have ")):
        return f"{who} {' and '.join(texts)}"
    return f"{who} that {' and '.join(texts[:-1])} {texts[-1]}".replace("that whose", "whose")


def _after_name(part: Formula) -> str:
    said = in_english(part, subject=Whose.ITS)
    said = f"({said})" if isinstance(part, Or) and " and " in said else said
    is_own = isinstance(part, Comparison) and said.startswith("its ")
    return f"has {said.removeprefix('its ')}" if is_own else said


def _joined(terms: tuple[Formula, ...], subject: Whose, word: str, enclosed: type[Formula]) -> str:
    return f" {word} ".join(
        f"({said})" if isinstance(term, enclosed) else said
        for term in terms
        for said in [in_english(term, subject=subject)]
    )


def _tested(term: Term, label: str | None, truth: bool, subject: Whose) -> str:
    *steps, name = term.path
    whom = _whom(term.whose, tuple(steps), subject)
    said, own = says(name, truth), clause(name, truth)
    if label is not None:
        if not truth and whom == "it":
            return f"its {_plain(name)} is not {label}"
        said = f"{'has' if truth else 'does not have'} {_plain(name)} {label}"
    elif own is not None:
        whose = "" if whom == "it" else f"{whom}'s " if whom else "whose "
        return f"{whose}{own}{' before' if name.startswith(LAST) else ''}"
    said = f"{said} before" if name.startswith(LAST) else said
    return f"{whom} {said}".strip()


def _whom(whose: Whose, steps: tuple[str, ...], subject: Whose) -> str:
    """Of whom a term speaks: the subject of those in view stands before, and is not said again."""
    if steps == ("graph",):
        return "the graph"
    path = "'s ".join(map(_plain, steps))
    if whose is subject:
        if not steps:
            return "it" if subject is Whose.MY else ""
        return f"its {path}"
    return f"this one's {path}" if steps else "this one"


def compared_in_english(formula: Comparison, subject: Whose) -> str:
    """A comparison: of the same value of two, in words; else with its sign."""
    (first, *ties), other = formula.left, formula.right[0]
    order = formula.order
    if first.whose is not Whose.ITS and other.whose is Whose.ITS:
        order, first = order.reversed, other
        ties = list(formula.right[1:])
    alike = [left.path for left in formula.left] == [right.path for right in formula.right]
    if subject is Whose.ITS and alike and first.path and formula.left[0].whose is not other.whose:
        what = _path(first)
        article = "a " if order in (Order.LOWER, Order.HIGHER) else ""
        tie = f" (ties: {', '.join(map(_path, ties))})" if ties else ""
        return f"has {article}{ORDERS[order]} {what}{tie}"
    sign = SIGNS.get(formula.order, formula.order.value)
    left, right = (", ".join(_named(term, subject) for term in side) for side in formula.sides)
    return f"{left} {sign} {right}"


def _named(term: Term, subject: Whose) -> str:
    if term.constant is not None:
        return str(term.constant)
    if not term.path:
        return "it" if term.whose is subject else "this one"
    if term.path[0] == "graph" and len(term.path) > 1:
        return f"the graph's {_path(Term(term.whose, term.path[1:]))}"
    whose = "its" if term.whose is subject else "this one's"
    return f"{whose} {_path(term)}"


def _path(term: Term) -> str:
    return "'s ".join(map(_plain, term.path))


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _plural(said: str) -> str:
    """What is said of one, of several."""
    for one, several in (("is ", "are "), ("has ", "have "), ("was ", "were ")):
        if said.startswith(one):
            return several + said.removeprefix(one)
    return said


def atom_template(atom: Formula, truth: bool, at: Location, book: Phrasebook) -> Template:
    """What is said of an atom that decides, with the values and names that make it so."""
    match atom:
        case Comparison(left, order, right):
            order = order if truth else order.opposite
            sign = f" {SIGNS.get(order, order.value)} "
            return (*_with_values(left), sign, *_with_values(right))
        case Quantified(quantity, relation, body):
            said = in_english(atom if truth else Not(atom))

            def those(formula: Formula, *, counts: bool = False) -> Those:
                some = Quantified(Quantity.SOME, relation, formula)
                return Those(relation, formula, counts, book.statement(some, at))

            if quantity is Quantity.AT_LEAST:
                everybody = those(TRUE, counts=True)
                return (f"{said} (", those(body, counts=True), " of ", everybody, ")")
            if truth is (quantity is Quantity.SOME):
                return (f"{said}: ", those(body if truth else Not(body)))
            return (said,)
    return (in_english(atom if truth else Not(atom)),)


def _with_values(terms: tuple[Term, ...]) -> Template:
    """What is compared, each with its value."""
    parts: list[str | Term | New | Those] = []
    for term in terms:
        parts.append(", " if parts else "")
        if term.constant is not None:
            parts.append(str(term.constant))
        elif not term.path:
            parts.append(term)
        else:
            parts += [f"{_named(term, Whose.MY)} ", term]
    return tuple(parts)
