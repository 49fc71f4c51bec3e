"""Looks from what a person types."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeVar

from algolens.errors import FormulaError
from algolens.graphs import Location
from algolens.language.relations import RELATIONS, Relation
from algolens.logic.formula import FALSE, TRUE, Formula, Not, conjunction
from algolens.logic.parsing import CONSTANTS, FormulaParser
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Test
from algolens.looks.refusals import CONSTANT, lesson
from algolens.looks.terms import LAST, MOST_DIGITS, WORDS, Term, Whose

ORDERS = {order.value: order for order in Order}
MOST_WORDS = max(len(words.split()) for relation in RELATIONS for words in relation.words)
FIELD = "the name of a field"  # what a message calls it
# the words that begin a count, and how often a count of none holds
COUNTED = {"at": "always", "exactly": "", "more": "", "fewer": "never"}
SPELLINGS = {"neighbor": "neighbour", "neighbors": "neighbours"}

Read = TypeVar("Read")


def parse_look(text: str, at: Location = Location.NODE) -> Formula:
    """The statement written in ``text``, made at a location.

    Names are fields of the element that looks; inside a quantifier, of the other one, unless ``my``
    stands before them. A number is a field of the graph, ``constant_3``, and is declared as a sum.

    >>> from algolens.looks import statement_text
    >>> typed = "color is 0 & ~some neighbour (color is 0 & its priority > my priority)"
    >>> statement_text(parse_look(typed))
    'color is 0 & no neighbour (color is 0 & its priority > my priority)'
    >>> statement_text(parse_look("exactly 2 neighbors (its height > 3)"))
    'at least 2 neighbours (its height > 3) & ~at least 3 neighbours (its height > 3)'
    """
    return Parser(text, at).whole(lambda parser: parser.statement(Whose.MY))


class Parser(FormulaParser):
    """Reads statements; what it shares with rules (or, and, not, parentheses) is inherited."""

    language = "look"
    marks = ("'s", "<=", ">=", "!=", ":=")

    def __init__(self, text: str, at: Location = Location.NODE) -> None:
        super().__init__(text)
        self.at = at
        self.subject = Whose.MY  # of whom names speak that have neither my nor its before them

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
        if self._begins_quantifier():
            return self._quantified()
        if self.token == "(":
            if self._begins_list():
                return self._comparison(self._listed())
            self.take({"("})
            result = self.alternatives()
            self.expect(")")
            return result
        term = self._compared_term()
        if self.token in ORDERS:
            return self._comparison((term,))
        if not term.path or term.constant is not None:
            raise self.complaint(f"'=', or another comparison, after '{term}',")
        if self.take({"is"}):
            negated = self.take({"not"})
            test = Test(term, self._word("a class"))
            return Not(test) if negated else test
        return Test(term)

    def _quantified(self) -> Formula:
        if self.subject is Whose.ITS:
            raise FormulaError(
                f"look {self.text!r}, character {self.place}: '{self.token}' stands inside "
                "another quantifier; a statement looks only one step: declare the inner "
                "statement as an observation of its own before this one."
            )
        word = self._word("a quantifier")
        least = most = None
        if word in COUNTED:
            least, most = self._counted(word)
        relation = self.relation()
        body: Formula = TRUE
        if self.take({"("}):
            body = self.statement(Whose.ITS)
            self.expect(")")
        if word not in COUNTED:
            quantity = Quantity.EVERY if word == "every" else Quantity.SOME
            quantified = Quantified(quantity, relation, body)
            return Not(quantified) if word == "no" else quantified
        parts: list[Formula] = []
        if least is not None:
            parts.append(Quantified(Quantity.AT_LEAST, relation, body, least))
        if most == 0:
            parts.append(Not(Quantified(Quantity.SOME, relation, body)))
        elif most is not None:
            parts.append(Not(Quantified(Quantity.AT_LEAST, relation, body, most + 1)))
        return conjunction(*parts)

    def _begins_quantifier(self) -> bool:
        """Whether a quantifier begins here; some of its words may also name fields."""
        following = (
            self.tokens[self.position + 1][0] if self.position + 1 < len(self.tokens) else ""
        )
        if self.token in ("more", "fewer"):
            return following == "than"
        if self.token == "exactly":
            return following.isdecimal()
        return self.token in ("some", "every", "no", "at")

    def _counted(self, word: str) -> tuple[int | None, int | None]:
        """The least and the most of ``at least``, ``at most``, ``exactly``, ``more than`` and
        ``fewer than``; None: any number.
        """
        if word == "at":
            word = "at most" if self.take({"most"}) else "at least"
            if word == "at least":
                self.expect("least")
        elif self.take({"than"}):
            word += " than"
        count = int(self.expect_number())
        if count < 1 and word in ("at least", "fewer than"):
            raise FormulaError(
                f"look {self.text!r}: '{word} {count}' {COUNTED[word.split()[0]]} holds: write 1 "
                "or more."
            )
        match word:
            case "at least":
                return count, None
            case "more than":
                return count + 1, None
            case "at most":
                return None, count
            case "fewer than":
                return None, count - 1
        return count or None, count

    def relation(self) -> Relation:
        """A relation by its phrase: the longest that fits."""
        rest = [text for text, _ in self.tokens[self.position : self.position + MOST_WORDS]]
        rest[:1] = [SPELLINGS.get(word, word) for word in rest[:1]]
        fits = [fit for relation in RELATIONS for fit in relation.read(rest)]
        if not fits:
            known = ", ".join(sorted(relation.phrase(1) for relation in RELATIONS))
            words = {word for one in RELATIONS for text in one.words for word in text.split()}
            close = get_close_matches(self.token, words, n=1)
            guess = f" Did you mean '{close[0]}'?" if close else ""
            raise FormulaError(
                f"look {self.text!r}, character {self.place}: no relation is called so; there "
                f"are: {known}.{guess}"
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
        return (LAST if self.take({"last"}) else "") + self._word(FIELD)

    def _begins_list(self) -> bool:
        """Whether the parenthesis here holds terms alone, and a comparison follows on it."""
        place = self.position + 1
        while place < len(self.tokens) and _is_of_terms(self.tokens[place][0]):
            place += 1
        closing = [text for text, _ in self.tokens[place : place + 2]]
        return len(closing) == 2 and closing[0] == ")" and closing[1] in ORDERS

    def _listed(self) -> tuple[Term, ...]:
        """(term, term, ...)."""
        self.expect("(")
        terms = [self._compared_term()]
        while self.take({","}):
            terms.append(self._compared_term())
        self.expect(")")
        return tuple(terms)

    def _comparison(self, left: tuple[Term, ...]) -> Formula:
        order = ORDERS[self.token]
        self.position += 1
        right = self._listed() if self.token == "(" else (self._compared_term(),)
        if all(term.constant is not None for term in (*left, *right)):
            raise FormulaError(
                f"look {self.text!r}: numbers are compared with one another: name a field on one "
                "side, as in height > 3."
            )
        return Comparison(self._spoken(left, right), order, self._spoken(right, left))

    def _spoken(self, side: tuple[Term, ...], opposite: tuple[Term, ...]) -> tuple[Term, ...]:
        """One side of a comparison, its constants said of the element that the others speak of."""
        whose = next(term.whose for term in (*side, *opposite) if term.constant is None)
        is_graph = whose is Whose.MY and self.at is Location.GRAPH
        step = () if is_graph else ("graph",)
        return tuple(
            term if term.constant is None else Term(whose, (*step, term.path[-1])) for term in side
        )

    def _compared_term(self) -> Term:
        """A term, or a constant, which is a number of the graph."""
        if not self.token.isdecimal():
            return self.term(self.subject)
        return Term(self.subject, (f"constant_{int(self.expect_number())}",))

    # ---- tokens

    def complaint(self, wanted: str) -> FormulaError:
        """What should stand here; of what people often try, why it cannot be said."""
        taught = lesson([text for text, _ in self.tokens], self.position)
        if self.token.isdecimal() and wanted == FIELD:
            taught = CONSTANT.replace("{number}", self.token)
        if taught is None:
            return super().complaint(wanted)
        return FormulaError(f"look {self.text!r}, character {self.place}: {taught}")

    def expect(self, wanted: str) -> None:
        if not self.take({wanted}):
            raise self.complaint(f"'{wanted}'")

    def expect_number(self) -> str:
        if not self.token.isdecimal():
            raise self.complaint("a number")
        if len(self.token) > MOST_DIGITS:
            raise self.complaint(f"a number of at most {MOST_DIGITS} digits")
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


def _is_of_terms(token: str) -> bool:
    """Whether a token may stand in a list of terms."""
    return token in (",", "'s") or token.isdecimal() or token.isidentifier()
