"""How a look is written as text."""

from __future__ import annotations

from algolens.logic.formula import And, Constant, Formula, Not, Or
from algolens.looks.language import Comparison, Quantified, Quantity, Term, Test, Whose


def write(formula: Formula, subject: Whose = Whose.MY) -> str:
    """The text that ``parse_look`` reads back as the same formula. subject: of whom bare names
    speak.
    """
    match formula:
        case Constant(value):
            return str(value)
        case Not(Quantified(quantity=Quantity.SOME) as inner):
            return f"no {_quantified(inner)}"
        case Not(Test(term, label)) if label is not None:
            return f"{_tested(term, subject)} is not {label}"
        case Not(term):
            text = write(term, subject)
            return f"~({text})" if isinstance(term, And | Or | Comparison) else f"~{text}"
        case And(terms):
            return " & ".join(_enclosed(term, subject, Or) for term in terms)
        case Or(terms):
            return " | ".join(_enclosed(term, subject, And) for term in terms)
        case Test(term, label):
            return _tested(term, subject) + (f" is {label}" if label is not None else "")
        case Comparison(left, order, right):
            return f"{_compared(left, subject)} {order.value} {_compared(right, subject)}"
        case Quantified(quantity, _, _, count):
            how = {
                Quantity.SOME: "some",
                Quantity.EVERY: "every",
                Quantity.AT_LEAST: f"at least {count}",
            }[quantity]
            return f"{how} {_quantified(formula)}"
    raise TypeError(f"{type(formula).__name__} is no part of a look")


def _quantified(found: Quantified) -> str:
    return f"{found.relation.phrase(found.count)} ({write(found.body, Whose.ITS)})"


def _enclosed(term: Formula, subject: Whose, kind: type[Formula]) -> str:
    text = write(term, subject)
    return f"({text})" if isinstance(term, kind) else text


def _tested(term: Term, subject: Whose) -> str:
    """The subject's own fields stand bare."""
    return "'s ".join(term.path) if term.whose is subject else str(term)


def _compared(terms: tuple[Term, ...], subject: Whose) -> str:
    """Where there are two elements, each side says of whom it speaks."""
    bare = subject is Whose.MY
    texts = [_tested(term, subject) if bare and term.path else str(term) for term in terms]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
