"""What an author writes, as HIR: names are resolved while they are read.

Arithmetic stands wherever a number does, ``me = least node (waits) by distance, number`` says
that I am the one, and a name that is not known is refused where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Literal, TypeAlias, TypeVar, cast

from algolens.errors import FormulaError
from algolens.language.ir import (
    IT,
    ME,
    NUMBER,
    STEPS,
    TRUE,
    And,
    Arith,
    At,
    Compare,
    Const,
    Expr,
    Exprs,
    Field,
    Get,
    Not,
    Op,
    Or,
    Quantified,
    The,
    View,
    given_column,
    put,
)
from algolens.language.relations import RELATIONS
from algolens.logic.parsing import AND, CONSTANTS, NOT, OR, FormulaParser

MOST_DIGITS = 18  # of a number: 62 bits hold it
MOST_COUNTED = 1_000_000  # of "at least k"
COMPARE = ("<", "<=", "=", "!=", ">=", ">")
QUANTIFIERS, EXTREMES = ("some", "every", "no", "at"), {"least": "<", "greatest": ">"}
COUNTED = {"at least": "always", "fewer than": "never"}  # how often "at least 0" holds
# words of the language, which name nothing
WORDS = {*AND, *OR, *NOT, *CONSTANTS, *QUANTIFIERS, *EXTREMES}
WORDS |= {"my", "its", "me", "it", "is", "where", "the", "by"}
SPELLINGS = {"neighbor": "neighbour", "neighbors": "neighbours"}
SEE = "; see docs/declaring.md."

# what people write that cannot be said, by the word or mark, and what to write instead
UNBOUNDED = (
    "over others cannot be said, because a sum of any number of others has no bound, and a proof "
    "needs finitely many cases: add one value in each step to a number of the state, or give the "
    "result as an input" + SEE
)
UNKNOWN = "cannot be said, because a number is added, subtracted, multiplied and compared: "
QUOTIENT = UNKNOWN + "give the result as an input, or multiply the other side, as a > 2 * b" + SEE
AVERAGE = UNKNOWN + "compare sums, as a + b > 2 * c; of neighbours, give it as an input" + SEE
COUNT = (
    "is no number here, because what is counted is compared with a constant: write at least 3, at "
    "most 3 or exactly 3 neighbours (...)" + SEE
)
HIGHEST = (
    "is no number here: say which element has it, as in no neighbour (its height > my height) or "
    "me = greatest node by height, and take its value in becomes" + SEE
)
INSTEAD = {
    **dict.fromkeys(("sum", "total", "product"), UNBOUNDED),
    **dict.fromkeys(("average", "avg", "mean", "median"), AVERAGE),
    **dict.fromkeys(("count", "len", "degree"), COUNT),
    **dict.fromkeys(("max", "maximum"), HIGHEST),
    **dict.fromkeys(("min", "minimum"), HIGHEST.replace(">", "<").replace("greatest", "least")),
    "abs": UNKNOWN + "compare both, as x > y | -x > y" + SEE,
    "all": "is written every, as in every neighbour (marked).",
    "any": "is written some, as in some neighbour (marked).",
}
MARKS = {
    **dict.fromkeys("/%^", QUOTIENT),
    ".": "cannot stand here: numbers are whole, as in x > 3; for a field of another, write its "
    "pointer, 's and the field" + SEE,
}
Read = TypeVar("Read")
Sign: TypeAlias = Literal["+", "-", "*"]
Values: TypeAlias = Expr | Exprs


def parse(
    part: Callable[[Parser], Read],
    text: str,
    at: At,
    fields: Mapping[str, Field],
    numbers: Mapping[str, int] | None = None,
    others: At | None = None,
) -> Read:
    """What a part of the language, as ``Parser.statement``, reads from a whole text.

    Parameters
    ----------
    part : callable
        A method of ``Parser``.
    text : str
        What a user typed.
    at : str
        The table of the rows that it speaks of.
    fields : mapping of str to Field
        All that can be named.
    numbers : mapping of str to int, optional
        Options by name: each stands wherever a number does.
    others : str, optional
        The table of another one that it may speak of outside of quantifiers.

    Raises
    ------
    FormulaError
        Where the text says nothing: what came, at which character, and what to write.

    Examples
    --------
    >>> from algolens.language.text import Text
    >>> fields = {"height": Field("node", "number", bits=8)}
    >>> typed = "more than 1 neighbors (height + 1 > my height)"
    >>> Text({})(parse(Parser.statement, typed, "node", fields))
    'at least 2 neighbours (its height + 1 > my height)'
    """
    parser = Parser(text, at, fields, numbers or {})
    parser.others = others
    result = part(parser)
    parser.expect_end()
    return result


def _joined(kind: type[And] | type[Or], *terms: Expr) -> Expr:
    """All terms, flat."""
    flat = tuple(
        each for term in terms for each in (term.terms if isinstance(term, kind) else (term,))
    )
    return kind(flat) if len(flat) > 1 else flat[0]


class Parser(FormulaParser):
    """Reads one text; tokens, places and bounds are those of formulas."""

    language = "text"
    marks = ("'s", "<=", ">=", "!=")

    def __init__(
        self, text: str, at: At, fields: Mapping[str, Field], numbers: Mapping[str, int]
    ) -> None:
        super().__init__(text)
        self.at: At = at
        self.others: At | None = None  # the table of those in view
        self.fields, self.numbers = fields, numbers

    # ---- statements: of me; in parentheses after a relation, of the one in view

    all_of, any_of = staticmethod(partial(_joined, And)), staticmethod(partial(_joined, Or))
    opposite = Not

    def atom(self) -> Expr:
        """A comparison, or what is said of others."""
        if self._begins_quantifier():
            return self._quantified()
        if self.token == "me" and self._ahead(1) == "=" and self._ahead(2) in EXTREMES:
            self.position += 2
            return self._extreme()
        if self.token in EXTREMES:
            raise self.error(f"'{self.token} ...' is an element: write me = {self.token} ...")
        left = self._side()
        if self.token in COMPARE:
            op = cast("Op", self._next())
            right = self._side()
            if len(left) != len(right):
                raise self.error(
                    f"{len(left)} values are compared with {len(right)}: give as many on both "
                    "sides."
                )
            if all(isinstance(each, Const) for each in (*left, *right)):
                raise self.error(
                    "numbers are compared with one another: name a field on one side, as in "
                    "height > 3."
                )
            return Compare(left, op, right)
        value = self._one(left if len(left) > 1 else left[0])
        if self.take({"is"}):
            is_not = self.take({"not"})
            test = Compare(left, "=", (Const(self._class(value)),))
            return Not(test) if is_not else test
        return value

    def _class(self, value: Expr) -> int:
        """The index of a class of the category before it."""
        field = self.fields.get(value.column) if isinstance(value, Get) else None
        if field is None or field.kind != "category":
            kind = "no category" if field is None else f"a {field.kind}"
            raise self.error(f"what stands before 'is' is {kind}, and 'is' names a class.")
        label = self.token
        if not label.isidentifier() and not label.isdecimal():
            raise self.complaint("a class")
        if label not in field.labels:
            raise self.error(
                f"there is no class '{label}': there are {', '.join(field.labels)}."
                + did_you_mean(label, field.labels)
            )
        return field.labels.index(self._next())

    def _begins_quantifier(self) -> bool:
        """Whether a quantifier begins here; some of its words may also name fields."""
        after = self._ahead(1)
        if self.token in ("more", "fewer"):
            return after == "than"
        return self.token in QUANTIFIERS or (
            self.token == "exactly" and (after.isdecimal() or after in self.numbers)
        )

    def _quantified(self) -> Expr:
        word = self._outermost()
        least: int | None = None
        most: int | None = None
        if word not in ("some", "every", "no"):
            if word != "exactly":
                if self.token not in ("than", "least", "most"):
                    raise self.complaint("'least' or 'most'")
                word += f" {self._next()}"
            count = self._number()
            if count < 1 and word in COUNTED:
                raise self.error(f"'{word} {count}' {COUNTED[word]} holds: write 1 or more.")
            if count >= MOST_COUNTED:
                raise self.error(f"'{word} {count}' counts too many: give 1 to {MOST_COUNTED:,}.")
            least, most = {
                "at least": (count, None),
                "more than": (count + 1, None),
                "at most": (None, count),
                "fewer than": (None, count - 1),
                "exactly": (count, count),
            }[word]
        view = self._view()
        body = self._marked()
        self.others = None
        if least is most is None:
            said = Quantified("every" if word == "every" else "some", view, body)
            return Not(said) if word == "no" else said
        parts: list[Expr] = [Quantified("at least", view, body, least)] if least else []
        if most == 0:
            parts.append(Not(Quantified("some", view, body)))
        elif most is not None:
            parts.append(Not(Quantified("at least", view, body, most + 1)))
        return self.all_of(*parts)

    def _extreme(self) -> Expr:
        """``me = least R (M) by k``: I am M, and no other R is M and comes before me."""
        op = cast("Op", EXTREMES[self._outermost()])
        view = self._view(are_mine=True)
        marked = self._marked()
        if self.token != "by":
            raise self.complaint("'by' and what is compared, as in by weight, number,")
        keys = self._keys()
        self.others = None
        mine, *rest = (put(part, it=ME) for part in (marked, *keys))  # as I say it of myself
        before = Compare(keys, op, tuple(rest))
        if marked == TRUE:
            return Not(Quantified("some", view, before))
        return self.all_of(mine, Not(Quantified("some", view, self.all_of(marked, before))))

    def _keys(self) -> Exprs:
        """by a, b: what those in view are ordered by."""
        keys: list[Expr] = []
        if self.take({"by"}):
            while not keys or self.take({","}):
                keys.append(self._of_others(self.value))
        return tuple(keys)

    def _marked(self) -> Expr:
        """What is said in parentheses of those in view, if anything."""
        if not self.take({"("}):
            return TRUE
        said = self._of_others(self.statement)
        self.expect(")")
        return said

    def _of_others(self, part: Callable[[], Read]) -> Read:
        """What speaks of the one in view, as bare names do here."""
        self.subject, before = "its", self.subject
        result = part()
        self.subject = before
        return result

    def _outermost(self) -> str:
        """The word here, which begins to look at others."""
        if self.others is not None:
            raise self.error(
                f"'{self.token}' stands inside another quantifier; a statement looks only one "
                "step: declare the inner statement as a feature of its own, and name it here."
            )
        return self._next()

    # ---- values

    subject = "my"  # of whom names speak that have neither my nor its before them

    def value(self) -> Expr:
        """A number, a class, a truth value, or an element."""
        return self._one(self._values())

    def _side(self) -> Exprs:
        """One value, or several in parentheses."""
        values = self._values()
        return values if isinstance(values, tuple) else (values,)

    def _values(self, signs: str = "+-") -> Values:
        """A sum of products of parts."""
        part = partial(self._values, "*") if signs == "+-" else self._primary
        value, many = part(), 0
        while self.token and self.token in signs:
            op = cast("Sign", self._next())
            value = _arithmetic(self._one(value), op, self._one(part()))
            self.bound(many := many + 1)
        return value

    def _primary(self) -> Values:
        if self.take({"("}):
            inside = [self.statement()]
            while self.take({","}):
                inside.append(self.value())
            self.expect(")")
            return tuple(inside) if len(inside) > 1 else inside[0]
        if self.take({"-"}):
            if self.token.isdecimal():
                return Const(-self._number())
            self.bound(self.nested + 1)
            value = self._primary() if self.token == "(" else self._path_or_number()
            return _arithmetic(self._one(value), "*", Const(-1))
        if self.token in CONSTANTS:
            return Const(CONSTANTS[self._next()])
        return self._the() if self.token == "the" else self._path_or_number()

    def _path_or_number(self) -> Expr:
        is_option = self.token in self.numbers and self.token not in self.fields
        return Const(self._number()) if self.token.isdecimal() or is_option else self._path()

    def _one(self, value: Values) -> Expr:
        if isinstance(value, tuple):
            raise self.complaint("'<', or another comparison,")
        return value

    def _the(self) -> Expr:
        """the R's path (mark) by keys, or the R (mark)'s path."""
        self._outermost()
        view = self._view()
        assert self.others is not None
        value, at = self._steps(IT, self.others)
        if self.token != "(":
            raise self.complaint("'(' and who is meant, as in the neighbour (marked),")
        where = self._marked()
        value, _ = self._steps(value, at)
        by = self._keys()
        self.others = None
        return The(view, where, value, by)

    def move(self) -> tuple[Expr, Expr]:
        """``value where statement``, as a case: the condition, and the value."""
        value = self.value()
        return self.statement() if self.take({"where"}) else TRUE, value

    def _path(self) -> Expr:
        """``me``, ``it``, or a path: ``my weight``, ``its sender's number``, ``weight``."""
        word = self.token
        whose = {"me": "my", "it": "its"}.get(word, word)
        if whose not in ("my", "its"):
            whose = self.subject
        elif whose == "its" and self.others is None:
            raise self.error(
                f"'{word}' speaks of another one, and stands outside of every quantifier."
            )
        else:
            self._next()
        of: Expr = ME if whose == "my" else IT
        at: At | None = self.at if whose == "my" else self.others
        if word not in ("me", "it"):
            assert at is not None
            of, at = self._step(of, at)
        return self._steps(of, at)[0]

    def _steps(self, of: Expr, at: At | None) -> tuple[Expr, At | None]:
        """The further steps of a path, each after ``'s``."""
        many = 0
        while self.take({"'s"}):
            if at is None:
                raise self.error("what stands before 's is no element, and leads nowhere.")
            of, at = self._step(of, at)
            many += 1
            self.bound(many)
        return of, at

    def _step(self, of: Expr, at: At) -> tuple[Expr, At | None]:
        word = self.token
        if not self.token.isidentifier() or self.token in WORDS:
            raise self.complaint("the name of a field")
        field = given_column(at, word) or self.fields.get(word)
        if field is None or field.at != at:
            raise self._unknown(word, at, field)
        self._next()
        return Get(word, at, of), field.to

    def _unknown(self, word: str, at: At, field: Field | None) -> FormulaError:
        before, here = self.position, [name for name, one in self.fields.items() if one.at == at]
        here += [step for place, step in STEPS if place == at]
        here += [NUMBER] if at != "graph" else []
        if field is not None:
            return self.error(
                f"{word} sits at the {field.at}, and this speaks of a {at}: name a step to it, or "
                "another field."
            )
        self.position += 1
        taught = f"'{word}' {INSTEAD[word]}" if word in INSTEAD else self._lesson()
        self.position = before
        return self.error(
            taught
            or f"a {at} has no {word}; at a {at} there are: {', '.join(here) or 'none'}."
            + did_you_mean(word, here)
        )

    def _view(self, *, are_mine: bool = False) -> View:
        """The longest relation that fits; are_mine: of those like me, and of all, all others."""
        rest = [SPELLINGS.get(self.token, self.token), *map(self._ahead, range(1, 6))]
        fits = [fit for each in RELATIONS for fit in each.read(rest)]
        if are_mine:
            others = {one.phrase(1): one for one in RELATIONS if one.own == self.at}
            whole = others.get(f"other {rest[0].removesuffix('s')}")
            pointers = {None, *(name for name, one in self.fields.items() if one.to == "node")}
            mine = [fit for fit in fits if fit[0].own == fit[0].others]
            # "least rival by cost": no relation, where cost is no pointer
            fits = [(whole, 1)] if whole else [fit for fit in mine if fit[0].pointer in pointers]
        if not fits:
            known = sorted(each.phrase(1) for each in RELATIONS)
            words = {word for one in RELATIONS for n in (1, 2) for word in one.phrase(n).split()}
            raise self.error(
                self._lesson()
                or f"no relation is called so; there are: {', '.join(known)}."
                + did_you_mean(self.token, words)
            )
        relation, used = max(fits, key=lambda fit: fit[1])
        if relation.own != self.at:
            raise self.error(
                f"this sits at the {self.at}, and a {relation.own} has a "
                f"'{relation.phrase(1)}': put it there, or look at another relation."
            )
        self.position += used
        self.others = relation.others
        field = self.fields.get(relation.pointer or "")
        if relation.pointer and (field is None or (field.at, field.to) != ("node", "node")):
            raise self.error(
                f"'{relation.words}': {relation.pointer} is no pointer to nodes: name one that is."
            )
        return relation.view

    # ---- tokens

    def _ahead(self, many: int) -> str:
        place = self.position + many
        return self.tokens[place][0] if place < len(self.tokens) else ""

    def _next(self) -> str:
        token = self.token
        self.position += 1
        return token

    def _number(self) -> int:
        if self.token in self.numbers:
            return self.numbers[self._next()]
        if not self.token.isdecimal():
            raise self.complaint("a number")
        if len(self.token) > MOST_DIGITS:
            raise self.complaint(f"a number of at most {MOST_DIGITS} digits")
        return int(self._next())

    def expect(self, wanted: str) -> None:
        if not self.take({wanted}):
            raise self.complaint(f"'{wanted}'")

    def _lesson(self) -> str | None:
        """What to write where reading stopped, if that is something that people often try."""
        before = self.tokens[self.position - 1][0] if self.position else ""
        if self.token == before == "=":
            return "'==' is written =."
        if self.token in MARKS:
            return f"'{self.token}' {MARKS[self.token]}"
        if before in INSTEAD and (self.token == "(" or self.token.isidentifier()):
            return f"'{before}' {INSTEAD[before]}"
        return None

    def complaint(self, wanted: str) -> FormulaError:
        taught = self._lesson()
        return super().complaint(wanted) if taught is None else self.error(taught)

    def error(self, said: str) -> FormulaError:
        """What is wrong at the token here."""
        return FormulaError(f"text {self.text!r}, character {self.place}: {said}")


def _arithmetic(a: Expr, op: Sign, b: Expr) -> Expr:
    """A sum or product; of a value of another one and a number, it is that one's own sum."""
    if isinstance(a, The) and isinstance(b, Const):
        return The(a.view, a.where, _arithmetic(a.value, op, b), a.by)
    return Arith(a, op, b)


def did_you_mean(word: str, known: Iterable[str], close: float = 0.6) -> str:
    """The name that is meant, as the end of a refusal; none, where none is near."""
    meant = get_close_matches(word, known, 1, close)
    return f" Did you mean '{meant[0]}'?" if meant else ""
