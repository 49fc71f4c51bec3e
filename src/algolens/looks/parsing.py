"""Looks from what a person types."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from algolens.errors import FormulaError
from algolens.logic.formula import FALSE, TRUE, Formula, Not
from algolens.logic.parsing import AND, CONSTANTS, NOT, OR, FormulaParser
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


class Parser(FormulaParser):
    """Reads statements; what it shares with rules (or, and, not, parentheses) is inherited."""

    language = "look"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.subject = Whose.MY  # of whom names speak that have neither my nor its before them

    def read_tokens(self) -> list[tuple[str, int]]:
        """Names, numbers and marks, and where each begins."""
        return [
            (match[match.lastgroup or ""], match.start(match.lastgroup or ""))
            for match in TOKEN.finditer(self.text)
        ]

    def whole(self, part: Callable[[Parser], Read]) -> Read:
        """What a part reads, where nothing is left after it."""
        result = part(self)
        self.expect_end()
        return result

    def statement(self, subject: Whose) -> Formula:
        """A statement in which bare names speak of the subject."""
        before, self.subject = self.subject, subject
        result = self.alternatives()
        self.subject = before
        return result

    def atom(self) -> Formula:
        if self.token in CONSTANTS:
            return TRUE if CONSTANTS[self._word("True or False")] else FALSE
        if self.token in ("some", "every", "no", "at"):
            return self._quantified()
        if self.token == "(":
            several = self._several()
            if several is not None:
                return self._comparison(several)
            self.take({"("})
            result = self.alternatives()
            self.expect(")")
            return result
        term = self.term(self.subject)
        if self.token in ORDERS:
            return self._comparison((term,))
        if self.take({"is"}):
            negated = self.take({"not"})
            test = Test(term, self._word("a class"))
            return Not(test) if negated else test
        if not term.path:
            raise self.complaint(f"'=', or another comparison, after '{term}',")
        return Test(term)

    def _quantified(self) -> Formula:
        if self.subject is Whose.ITS:
            raise FormulaError(
                f"look {self.text!r}, character {self.place}: '{self.token}' stands inside "
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
        if self.take({"("}):
            body = self.statement(Whose.ITS)
            self.expect(")")
        quantity = {"every": Quantity.EVERY, "at": Quantity.AT_LEAST}.get(word, Quantity.SOME)
        quantified = Quantified(quantity, relation, body, count)
        return Not(quantified) if word == "no" else quantified

    def relation(self) -> Relation:
        """A relation by its phrase: the longest that fits."""
        rest = [text for text, _ in self.tokens[self.position :]]
        fits = [fit for relation in RELATIONS for fit in relation.read(rest)]
        if not fits:
            known = ", ".join(sorted(relation.phrase(1) for relation in RELATIONS))
            raise FormulaError(
                f"look {self.text!r}, character {self.place}: no relation is called so; there "
                f"are: {known}."
            )
        relation, used = max(fits, key=lambda fit: fit[1])
        self.position += used
        return relation

    def term(self, subject: Whose) -> Term:
        """``my weight``, ``its weight``, ``me``, ``it``, or a path of the subject: ``weight``."""
        if self.take({"me"}):
            return Term(Whose.MY)
        if self.take({"it"}):
            return Term(Whose.ITS)
        whose = Whose.MY if self.take({"my"}) else Whose.ITS if self.take({"its"}) else subject
        return Term(whose, (self.field(), *self.steps()))

    def steps(self) -> list[str]:
        """The further steps of a path, each after ``'s``."""
        steps = []
        while self.take({"'s"}):
            steps.append(self.field())
        return steps

    def field(self) -> str:
        """A step of a path."""
        return (LAST if self.take({"last"}) else "") + self._word("the name of a field")

    def _several(self) -> tuple[Term, ...] | None:
        """(term, term, ...) before a comparison, where that is what the parenthesis holds."""
        before = self.position
        try:
            terms = self._listed()
            if self.token in ORDERS:
                return terms
        except FormulaError:
            pass
        self.position = before
        return None

    def _listed(self) -> tuple[Term, ...]:
        """(term, term, ...)."""
        self.expect("(")
        terms = [self.term(self.subject)]
        while self.take({","}):
            terms.append(self.term(self.subject))
        self.expect(")")
        return tuple(terms)

    def _comparison(self, left: tuple[Term, ...]) -> Formula:
        order = ORDERS[self.token]
        self.position += 1
        right = self._listed() if self.token == "(" else (self.term(self.subject),)
        return Comparison(left, order, right)

    # ---- tokens

    def expect(self, wanted: str) -> None:
        if not self.take({wanted}):
            raise self.complaint(f"'{wanted}'")

    def expect_number(self) -> str:
        if not self.token.isdecimal():
            raise self.complaint("a number")
        self.position += 1
        return self.tokens[self.position - 1][0]

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
