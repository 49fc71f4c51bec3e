"""Turn quantifiers into aggregates, once for all engines.

    some V (own & its & k of it = v & k' of it < v')        "own" and "v" are mine
 ->  own & k'[f] < v'    where f = First(rows of V with k = v that are "its", ordered by k')

A part that speaks of me alone is pulled out, an equality joins the key of the group, and any other
comparison between the two is asked of the group's first row: the lowest, or the highest. "Every"
and "no" are "some", negated.

Each aggregate and each arithmetic operation becomes a let of its own, computed once for every row
of its table. So all engines refuse the same runs: a number that leaves its bounds is refused in
whichever row it does, whether or not that row's value is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from math import prod

from msgspec.structs import replace

from algolens.errors import DefinitionError
from algolens.language.ir import (
    FALSE,
    IT,
    ME,
    NUMBER,
    TRUE,
    And,
    Any,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Count,
    Expr,
    Exprs,
    First,
    Get,
    Group,
    Known,
    Let,
    Me,
    Not,
    Op,
    Or,
    Pairs,
    Program,
    Quantified,
    The,
    View,
    Within,
    conjunction,
    disjunction,
    negation,
    parts_of,
    put,
    reads,
    rebuilt,
    speaks_of,
)

OPPOSITE: dict[Op, Op] = {"<": ">=", "<=": ">", "=": "!=", "!=": "=", ">=": "<", ">": "<="}
TURNED: dict[Op, Op] = {"<": ">", "<=": ">=", "=": "=", "!=": "!=", ">=": "<=", ">": "<"}
MOST_ALTERNATIVES = 10_000  # of a statement about one in view
MOST = 2**61 - 1  # of every result of arithmetic: two such numbers add up within 64 bits
Order = tuple[Exprs, Op, Exprs]
Shared = Callable[[At, Expr], Expr]  # a let of a table, named; gives the column


def lower(program: Program) -> Program:
    """The same program without quantifiers."""
    lets: dict[Let, None] = {}
    names: dict[tuple[At, Expr], str] = {}

    def shared(at: At, value: Expr) -> Expr:
        """A column that holds ``value``; one for all who ask for the same."""
        if (at, value) not in names:
            names[at, value] = f"{type(value).__name__.lower()} {len(names)}"
            lets[Let(names[at, value], at, value)] = None
        return Get(names[at, value], at)

    for let in program.lets:
        lets[Let(let.name, let.at, Lowering(let.at, shared)(let.value, is_named=True))] = None
    becomes = tuple(
        _bounded(program, let, Lowering(let.at, shared)(let.value)) for let in program.becomes
    )
    start = tuple(
        _bounded(program, let, Lowering(let.at, lambda _, value: value)(let.value))
        for let in program.start
    )
    return replace(program, start=start, lets=tuple(lets), becomes=becomes)


def ties(lets: Iterable[Let]) -> dict[Expr, First]:
    """Of every first row of my own group: that it is not before me."""
    found = dict[Expr, First]()
    for let in lets:
        match let.value:
            case First(Group(rows, key, mine), _, keys, last, 0) as first if keys and (
                rows,
                key,
            ) == (let.at, mine):
                row = Get(let.name, let.at)
                ahead = Compare(tuple(put(key, me=row) for key in keys), ">" if last else "<", keys)
                found[Not(And((Known(row), ahead)))] = first
    return found


def _bounded(program: Program, let: Let, value: Expr) -> Let:
    """A let of the state, refused where a number does not fit."""
    column = program.state.get(let.name)
    if column is not None and column.kind == "number":
        least, most = column.bounds
        if not (isinstance(value, Const) and least <= value.value <= most):
            value = Within(value, least, most)
    return Let(let.name, let.at, value)


def unshared(program: Program, names: Iterable[str]) -> Program:
    """The same with aggregates written out where a row reads its own: a query joins each once.

    names: of the lets that are to stay columns.
    """
    stay, inside = {*names}, dict[tuple[At, str], Expr]()

    def written_out(node: Expr) -> Expr:
        match node:
            case Get(column, at, Me()) if (at, column) in inside:
                return inside[at, column]
            case Any() | Count() | First():
                group = replace(node.group, mine=tuple(map(written_out, node.group.mine)))
                return replace(node, group=group)
            case Pairs():
                return node
        return rebuilt(node, written_out)

    elsewhere = {
        (at, name)
        for let in (*program.lets, *program.becomes)
        for at, name, is_own in reads(let.value)
        if not is_own
    }
    lets = []
    for let in program.lets:
        value = written_out(let.value)
        if let.name in stay or (let.at, let.name) in elsewhere:
            lets.append(replace(let, value=value))
        else:
            inside[let.at, let.name] = value
    becomes = tuple(replace(let, value=written_out(let.value)) for let in program.becomes)
    return replace(program, lets=tuple(lets), becomes=becomes)


class Lowering:
    """Lowers the expressions of the rows of one table.

    Parameters
    ----------
    at : str
        The table.
    shared : callable
        Names an aggregate, or a result of arithmetic, and gives its column.
    """

    def __init__(self, at: At, shared: Shared) -> None:
        self.at, self._shared = at, shared

    def __call__(self, node: Expr, *, is_named: bool = False) -> Expr:
        """The same without quantifiers. is_named: it is a let of its own already."""
        match node:
            case And(terms):
                return self._conjunction(terms)
            case Quantified("every", view, body):
                return negation(self._some(view, negation(body)))
            case Quantified("some", view, body) | Quantified("at least", view, body, 1):
                return self._some(view, body)
            case Quantified(_, view, body, count):
                return self._at_least(count, view, body)
            case Case(cases, otherwise):
                return Case(tuple(self._case(*case) for case in cases), self(otherwise))
            case The(view, _, value):
                return put(value, it=put(view.it, it=self._row_of(node)))
            case Arith():
                bounded = Within(rebuilt(node, self), -MOST, MOST)
                return bounded if is_named else self.shared(bounded)
        return rebuilt(node, self)

    def shared(self, value: Expr) -> Expr:
        """A column of this table with this value."""
        return self._shared(self.at, value)

    def _conjunction(self, terms: Exprs) -> Expr:
        """A conjunction; "M, and no other M comes before me" is that I am the first M."""
        lowered = []
        for term in terms:
            first = self._first_of(term, terms)
            lowered.append(self(term) if first is None else Compare((first,), "=", (ME,)))
        return conjunction(*lowered)

    def _first_of(self, term: Expr, others: Exprs) -> Expr | None:
        """For "no other that is so has a lower key", where I am so: the first of them."""
        match term:
            case Not(Quantified("some", view, body)) if view.it == IT and view.rows == self.at:
                parts, *more = parts_of_view(view, body)
            case _:
                return None
        is_my_group = parts.group.key == parts.group.mine
        if more or parts.own or len(parts.orders) != 1 or not is_my_group:
            return None
        keys, op, mine = parts.orders[0]
        am_so = all(part in others for part in parts.conditions)
        is_total = keys[-1] == Get(NUMBER, self.at) and self.at in ("node", "edge")
        if keys != mine or op not in ("<", ">") or not am_so or not is_total:
            return None
        return self.shared(First(parts.group, self._of_rows(parts), keys, op == ">"))

    def _case(self, guard: Expr, value: Expr) -> tuple[Expr, Expr]:
        """A case; one that takes the value of a row in view needs such a row."""
        known = [Known(self._row_of(each)) for each in parts_of(value, The)]
        return conjunction(self(guard), *known), self(value)

    # ---- quantifiers

    def _some(self, view: View, body: Expr) -> Expr:
        """Some is so: by one of the joins, in one of the alternatives."""
        return disjunction(*map(self._one, parts_of_view(view, body)))

    def _one(self, parts: Parts) -> Expr:
        match parts.orders:
            case []:
                there = self._counted(parts, 1)
            case [(keys, op, mine)]:
                first = self._first(parts, keys, op, mine)
                compared = Compare(tuple(put(key, me=first) for key in keys), op, mine)
                there = conjunction(Known(first), compared)
            case _:
                there = self._pairs(parts.view, parts.terms, 1)
        return conjunction(*map(self, parts.own), there)

    def _at_least(self, count: int, view: View, body: Expr) -> Expr:
        parts, *more = parts_of_view(view, body)
        if not more and not parts.orders:
            return conjunction(*map(self, parts.own), self._counted(parts, count))
        return self._pairs(view, [put(body, it=view.it)], count)

    def _counted(self, parts: Parts, least: int) -> Expr:
        """At least so many rows of my group; one more where I am one of them and must not be."""
        where = self._of_rows(parts)
        if parts.apart and parts.itself != FALSE:
            mine = self(parts.itself)
            more = Const(least)
            many = more if mine == TRUE else Case(((mine, more),), Const(least - 1))
            return Compare((self.shared(Count(parts.group, where)),), ">", (many,))
        if least == 1:
            return self.shared(Any(parts.group, where))
        return Compare((self.shared(Count(parts.group, where)),), ">=", (Const(least),))

    def _first(self, parts: Parts, keys: Exprs, op: Op, mine: Exprs) -> Expr:
        """The lowest (highest) row of my group; the next one where that is me and must not be."""
        where, last = self._of_rows(parts), op in (">", ">=")
        first = self.shared(First(parts.group, where, keys, last))
        never_itself = keys == mine and op in ("<", ">")  # nothing comes before itself
        if not parts.apart or never_itself or parts.itself == FALSE:
            return first
        second = self.shared(First(parts.group, where, keys, last, 1))
        return self.shared(Case(((Compare((first,), "=", (ME,)), second),), first))

    def _row_of(self, node: The) -> Expr:
        """The first row that is so: by keys, by who is meant, then by index."""
        view = node.view
        keys = tuple(put(key, it=put(view.it, it=ME)) for key in (*node.by, IT) if key != view.it)
        found = parts_of_view(view, node.where)
        if any(parts.own or parts.orders for parts in found) or (node.by and len(found) > 1):
            raise DefinitionError(
                f"'the {view.words}' goes by what is said of it and by what is equal: compare "
                "numbers in a feature, and name that."
            )
        earliest, *others = (self._first(parts, keys, "<=", ()) for parts in found)
        for other in others:
            ahead = disjunction(negation(Known(other)), Compare((earliest,), "<=", (other,)))
            earliest = Case(((conjunction(Known(earliest), ahead), earliest),), other)
        return earliest

    def _pairs(self, view: View, terms: list[Expr], least: int) -> Expr:
        """Pair by pair: several comparisons at once, or counts of what joins in several ways."""
        joined = disjunction(*(Compare((mine,), "=", (its,)) for mine, its in view.joins))
        apart = Compare((IT,), "!=", (ME,)) if view.apart else TRUE
        pairs = Pairs(view.rows, conjunction(joined, apart, *terms))
        return Compare((self.shared(pairs),), ">=", (Const(least),))

    def _of_rows(self, parts: Parts) -> Expr:
        """The condition on the rows of a group, itself lowered at their table."""
        return Lowering(parts.group.rows, self._shared)(conjunction(*parts.conditions))


class Parts:
    """A conjunction about a row in view, by whom its terms speak of. In LIR, that row is Me.

    Attributes
    ----------
    own, conditions : list of Expr
        Terms of me alone, and of the row alone.
    orders : list of (Exprs, Op, Exprs)
        How values of the row compare with mine.
    group : Group
        The rows with equal keys.
    apart : bool
        Whether I am never meant.
    itself : Expr
        Where I am such a row.
    """

    def __init__(self, view: View, join: tuple[Expr, Expr], terms: list[Expr]) -> None:
        self.view, self.terms, self.apart = view, terms, view.apart
        self.orders: list[Order] = []
        self.own = [term for term in terms if IT not in speaks_of(term)]
        self.conditions = [put(term, it=ME) for term in terms if speaks_of(term) == {IT}]
        keys = [(put(join[1], it=ME), join[0])]
        for term in terms:
            if speaks_of(term) != {ME, IT}:
                continue
            turned = oriented(term)
            if turned is None:  # its sides speak of both, so no group will do
                self.orders += [((), "=", ())] * 2
                continue
            its, op, mine = turned
            if op == "=":
                keys += zip(its, mine, strict=True)
            elif (its, op, mine) == ((ME,), "!=", (ME,)):
                self.apart = True
            else:
                self.orders.append(turned)
        its_keys, my_keys = zip(*keys, strict=True)
        self.group = Group(view.rows, its_keys, my_keys)
        meets = (Compare((its,), "=", (mine,)) for its, mine in keys if its != mine)
        self.itself = conjunction(*self.conditions, *meets)


def parts_of_view(view: View, body: Expr) -> list[Parts]:
    """What is said of a row in view: by one of the joins, in one of the alternatives."""
    alternatives = disjuncts(put(body, it=view.it))
    return [Parts(view, join, each) for each in alternatives for join in view.joins]


def oriented(term: Expr) -> Order | None:
    """A comparison with its side first, said of the row itself; None where a side has both."""
    if not isinstance(term, Compare):
        return None
    its, op, mine = term.left, term.op, term.right
    if speaks_of(*its) == {ME}:
        its, op, mine = mine, TURNED[op], its
    if speaks_of(*its) != {IT} or speaks_of(*mine) != {ME}:
        return None
    return tuple(put(each, it=ME) for each in its), op, mine


def disjuncts(body: Expr, holds: bool = True) -> list[list[Expr]]:
    """The alternatives of a statement, each a conjunction; what speaks of one alone stays whole."""
    match body:
        case Not(term):
            return disjuncts(term, not holds)
        case And(terms) | Or(terms) if (
            speaks_of(body) == {ME, IT} or isinstance(body, And) is holds
        ):
            parts = [disjuncts(term, holds) for term in terms]
            if isinstance(body, And) is not holds:
                return [alternative for part in parts for alternative in part]
            if prod(map(len, parts)) > MOST_ALTERNATIVES:
                raise DefinitionError(
                    f"a statement has more than {MOST_ALTERNATIVES:,} alternatives: declare a part "
                    "as a feature of its own, and name that."
                )
            return [[term for part in each for term in part] for each in product(*parts)]
        case Compare(left, op, right) if speaks_of(body) == {ME, IT}:
            op = op if holds else OPPOSITE[op]
            if op == "!=" and {*left, *right} != {ME, IT}:
                return [[Compare(left, "<", right)], [Compare(left, ">", right)]]
            return [[Compare(left, op, right)]]
    return [[body if holds else negation(body)]]
