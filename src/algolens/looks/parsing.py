"""Looks from what a person types."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from algolens.errors import FormulaError
from algolens.logic.formula import FALSE, TRUE, Formula, Not, conjunction, disjunction
from algolens.logic.parsing import AND, CONSTANTS, NOT, OR
from algolens.looks.language import LAST, Comparison, Order, Quantified, Quantity, Term, Test, Whose
from algolens.looks.relations import RELATIONS, Relation

TOKEN = re.compile(
    r"\s*(?:(?P<name>[^\W\d]\w*)|(?P<number>\d+)|(?P<mark>'s\b|<=|>=|!=|:=|\S))", re.UNICODE
)
ORDERS = {order.value: order for order in Order}
WORDS = (
    AND
    | OR
    | NOT
    | {"my", "its", "me", "it", "is", "some", "every", "no", "at", "least", "last", "where", "the"}
)

Read = TypeVar("Read")


@dataclass(frozen=True)
class Token:
    """A word, number or mark, and where it stands."""

    text: str
    place: int


def parse_look(text: str) -> Formula:
    """The statement written in ``text``.

    Names are fields of the element that looks; inside a quantifier, of the other one, unless ``my``
    stands before them.

    >>> from algolens.looks import statement_text
    >>> typed = "color is 0 & ~some neighbour (color is 0 & its priority > my priority)"
    >>> statement_text(parse_look(typed))
    'color is 0 & no neighbour (color is 0 & its priority > my priority)'
    """
    return Parser(text).whole(lambda parser: parser.statement(Whose.MY))


class Parser:
    """Recursive descent: or binds loosest, then and, then not."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            Token(match[match.lastgroup or ""], match.start(match.lastgroup or ""))
            for match in TOKEN.finditer(text)
        ]
        self.position = 0

    def whole(self, part: Callable[[Parser], Read]) -> Read:
        """What a part reads, where nothing is left after it."""
        result = part(self)
        if self.token:
            raise self.complaint("an operator or the end")
        return result

    def statement(self, subject: Whose) -> Formula:
        """subject: of whom names speak that have neither my nor its before them."""
        terms = [self._conjuncts(subject)]
        while self.take(*OR):
            terms.append(self._conjuncts(subject))
        return disjunction(*terms)

    def _conjuncts(self, subject: Whose) -> Formula:
        terms = [self._literal(subject)]
        while self.take(*AND):
            terms.append(self._literal(subject))
        return conjunction(*terms)

    def _literal(self, subject: Whose) -> Formula:
        if self.take(*NOT):
            return Not(self._literal(subject))
        return self._atom(subject)

    def _atom(self, subject: Whose) -> Formula:
        if self.token in CONSTANTS:
            return TRUE if CONSTANTS[self._word("True or False")] else FALSE
        if self.token in ("some", "every", "no", "at"):
            return self._quantified(subject)
        if self.token == "(":
            several = self._several(subject)
            if several is not None:
                return self._comparison(several, subject)
            self.take("(")
            result = self.statement(subject)
            self.expect(")")
            return result
        term = self.term(subject)
        if self.token in ORDERS:
            return self._comparison((term,), subject)
        if self.take("is"):
            negated = self.take("not")
            test = Test(term, self._word("a class"))
            return Not(test) if negated else test
        if not term.path:
            raise self.complaint(f"'=', or another comparison, after '{term}',")
        return Test(term)

    def _quantified(self, subject: Whose) -> Formula:
        if subject is Whose.ITS:
            raise FormulaError(
                f"look {self.text!r}, character {self._place()}: '{self.token}' stands inside "
                "another quantifier; a look goes one step far: declare the inner statement as an "
                "observation of its own before this one."
            )
        word = self._word("a quantifier")
        count = 1
        if word == "at":
            self.expect("least")
            count = int(self.expect_number())
            if count < 1:
                raise FormulaError(
                    f"look {self.text!r}: 'at least {count}' always holds: write 1 or more."
                )
        relation = self.relation()
        body: Formula = TRUE
        if self.take("("):
            body = self.statement(Whose.ITS)
            self.expect(")")
        quantity = {"every": Quantity.EVERY, "at": Quantity.AT_LEAST}.get(word, Quantity.SOME)
        quantified = Quantified(quantity, relation, body, count)
        return Not(quantified) if word == "no" else quantified

    def relation(self) -> Relation:
        """A relation by its phrase: the longest that fits."""
        rest = [token.text for token in self.tokens[self.position :]]
        fits = [fit for relation in RELATIONS for fit in relation.read(rest)]
        if not fits:
            known = ", ".join(sorted(relation.phrase(1) for relation in RELATIONS))
            raise FormulaError(
                f"look {self.text!r}, character {self._place()}: no relation is called so; there "
                f"are: {known}."
            )
        relation, used = max(fits, key=lambda fit: fit[1])
        self.position += used
        return relation

    def term(self, subject: Whose) -> Term:
        """``my weight``, ``its weight``, ``me``, ``it``, or a path of the subject: ``weight``."""
        if self.take("me"):
            return Term(Whose.MY)
        if self.take("it"):
            return Term(Whose.ITS)
        whose = Whose.MY if self.take("my") else Whose.ITS if self.take("its") else subject
        return Term(whose, (self.field(), *self.steps()))

    def steps(self) -> list[str]:
        """The further steps of a path, each after ``'s``."""
        steps = []
        while self.take("'s"):
            steps.append(self.field())
        return steps

    def field(self) -> str:
        """A step of a path."""
        return (LAST if self.take("last") else "") + self._word("the name of a field")

    def _several(self, subject: Whose) -> tuple[Term, ...] | None:
        """(term, term, ...) before a comparison, where that is what the parenthesis holds."""
        before = self.position
        try:
            terms = self._listed(subject)
            if self.token in ORDERS:
                return terms
        except FormulaError:
            pass
        self.position = before
        return None

    def _listed(self, subject: Whose) -> tuple[Term, ...]:
        """(term, term, ...)."""
        self.expect("(")
        terms = [self.term(subject)]
        while self.take(","):
            terms.append(self.term(subject))
        self.expect(")")
        return tuple(terms)

    def _comparison(self, left: tuple[Term, ...], subject: Whose) -> Formula:
        order = ORDERS[self.token]
        self.position += 1
        right = self._listed(subject) if self.token == "(" else (self.term(subject),)
        return Comparison(left, order, right)

    # ---- tokens

    @property
    def token(self) -> str:
        return self.tokens[self.position].text if self.position < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        is_next = bool(self.token) and self.token in wanted
        self.position += is_next
        return is_next

    def expect(self, wanted: str) -> None:
        if not self.take(wanted):
            raise self.complaint(f"'{wanted}'")

    def expect_number(self) -> str:
        if not self.token.isdecimal():
            raise self.complaint("a number")
        self.position += 1
        return self.tokens[self.position - 1].text

    def _word(self, wanted: str) -> str:
        token = self.token
        # after "is" nothing but a class can stand, so it may be called by any word: answer is no
        is_class = wanted == "a class" and (token.isdecimal() or token.isidentifier())
        is_word = token.isidentifier() and (
            token not in WORDS or wanted in ("a quantifier", "True or False")
        )
        if not (is_class or is_word):
            raise self.complaint(wanted)
        self.position += 1
        return token

    def _place(self) -> int:
        return (
            self.tokens[self.position].place if self.position < len(self.tokens) else len(self.text)
        ) + 1

    def complaint(self, wanted: str) -> FormulaError:
        if not self.token:
            return FormulaError(f"look {self.text!r} ends where {wanted} should follow.")
        return FormulaError(
            f"look {self.text!r}, character {self._place()}: {wanted} should stand where "
            f"'{self.token}' is."
        )
