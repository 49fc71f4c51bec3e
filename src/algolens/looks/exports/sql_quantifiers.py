"""How many of those in view something holds of, by counts and extremes of groups in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from algolens.logic.formula import (
    FALSE,
    And,
    Constant,
    Formula,
    Not,
    Or,
    as_formula,
    conjunction,
    disjunction,
)
from algolens.looks.exports.sql_rows import (
    COUNT,
    ID,
    IT,
    MAX,
    ME,
    MIN,
    NEVER,
    Group,
    Path,
    Row,
    View,
    key_column,
    sql_column,
    sql_comparison,
    sql_table,
    truth_value,
)
from algolens.looks.language import Comparison, Order, Test, atoms, with_atoms
from algolens.looks.statement import Statement
from algolens.looks.terms import Term, Whose

if TYPE_CHECKING:
    from algolens.looks.exports.sql_select import Select

LOWER, EQUAL, HIGHER = range(3)  # as ``Order.outcomes`` counts


class InView:
    """How many of those in view a formula holds of, as a condition on the row that looks."""

    def __init__(self, select: Select, statement: Statement, view: View) -> None:
        self.select, self.statement, self.view = select, statement, view

    def at_least(self, count: int, body: Formula) -> str:
        """Whether a formula holds of at least so many."""
        if body == FALSE:
            return NEVER
        if self.view.is_direct:
            return self._directly(count, body)
        own = next((atom for atom in atoms(body) if _speaks_of(atom) == {Whose.MY}), None)
        if own is not None:  # the same for all in view: it holds, or it does not
            said = self.select.condition(self.statement, own)
            parts = [
                (words, self.at_least(count, _where(body, {own: holds})))
                for words, holds in ((said, True), (f"NOT {said}", False))
            ]
            kept = [f"{words} AND ({met})" for words, met in parts if met != NEVER]
            return " OR ".join(kept) or NEVER
        crossing = dict.fromkeys(
            (its.left, its.right)
            for its in (_its_first(atom) for atom in atoms(body) if len(_speaks_of(atom)) == 2)
        )
        if len(crossing) > 1 or (count > 1 and self.view.may_repeat):
            return self._by_pairs(count, body)
        its, mine = next(iter(crossing), ((), ()))
        lower, equal, higher = (
            _where(
                body,
                {
                    atom: outcome in _its_first(atom).order.outcomes
                    for atom in atoms(body)
                    if len(_speaks_of(atom)) == 2
                },
            )
            for outcome in (LOWER, EQUAL, HIGHER)
        )
        if lower == higher:
            met = [self._counted(path, its, mine, lower, equal) for path in self.view.mine]
            return " OR ".join(f"{counted} >= {count}" for counted in met)
        # an element never compares strictly with itself where both sides say the same
        is_alike = tuple(term.path for term in its) == tuple(term.path for term in mine)
        if count > 1 or (self.view.relation.others_only and not is_alike):
            return self._by_pairs(count, body)
        return " OR ".join(
            f"({said})"
            for path in self.view.mine
            for said in self._by_extremes(path, its, mine, (lower, equal, higher))
        )

    def _directly(self, count: int, body: Formula) -> str:
        """Of those that the paths lead to: each is a row that is joined."""
        select, view, parts = self.select, self.view, []
        for mine in view.mine:
            alias, _ = select.me.follow(mine, select.location, view.scope)
            row = Row(alias, select.reads, select.me.joins)
            said = select.condition(self.statement, body, {Whose.MY: select.me, Whose.ITS: row})
            if view.relation.others_only:
                own = select.me.column(ME, select.location, ID)
                said = f"({said}) AND {sql_column(alias)}.{sql_column(ID)} <> {own}"
            parts.append(said)
        if count == 1:
            return " OR ".join(f"({said})" for said in parts)
        return f"{' + '.join(map(truth_value, parts))} >= {count}"

    def _counted(
        self, path: Path, its: Sequence[Term], mine: Sequence[Term], apart: Formula, equal: Formula
    ) -> str:
        """How many there are: with other values than mine one formula counts, else another."""
        keys = list(zip(its, self._own(mine), strict=True))
        parts = [self._count(path, [], apart)]
        if keys and apart != FALSE:
            parts.append(f"- {self._count(path, keys, apart)}")
        if keys and equal != FALSE:
            parts.append(f"+ {self._count(path, keys, equal)}")
        return " ".join(part for part in parts if part)

    def _count(self, path: Path, keys: Sequence[tuple[Term, str]], body: Formula) -> str:
        """How many in the group a formula holds of, without the row that looks."""
        if body == FALSE:
            return "0"
        select, statement, view = self.select, self.statement, self.view
        joined = select.group(statement, view, path, keys)
        said = select.condition(statement, body, {Whose.ITS: joined.group.row})
        count = f"COALESCE({joined.aggregate(COUNT, '*', said)}, 0)"
        if not view.relation.others_only:
            return count
        me = {Whose.ITS: select.me}
        here = select.me.path(path, select.location, view.scope)
        stands = [select.me.path(other, select.location, view.scope) for other in view.its]
        own = [
            f"({select.condition(statement, body, me)})",
            *(
                f"{select.value(statement, term, select.me)} = {value}"
                for term, value in keys
                if select.value(statement, term, select.me) != value
            ),
        ]
        for there in stands:
            is_there = [] if there == here else [f"{there} = {here}"]
            count += f" - {truth_value(' AND '.join([*own, *is_there]))}"
        return f"({count})"

    def _by_extremes(
        self, path: Path, its: Sequence[Term], mine: Sequence[Term], parts: Sequence[Formula]
    ) -> Iterable[str]:
        """Where one is lower than mine, equal to it, or higher."""
        lower, equal, higher = parts
        own = self._own(mine)
        rest = equal
        for function, part, strict, wide in (
            (MIN, lower, Order.LOWER, Order.NOT_HIGHER),
            (MAX, higher, Order.HIGHER, Order.NOT_LOWER),
        ):
            if part == FALSE:
                continue
            takes_equal = part == equal and not self.view.relation.others_only
            rest = FALSE if takes_equal else rest
            extreme = self.select.extreme(self.statement, self.view, path, function, its, part)
            said = sql_comparison(extreme, wide if takes_equal else strict, own)
            yield f"{extreme[0]} IS NOT NULL AND {said}"
        if rest != FALSE:
            yield f"{self._count(path, list(zip(its, own, strict=True)), rest)} >= 1"

    def _own(self, terms: Sequence[Term]) -> list[str]:
        return [self.select.value(self.statement, term, self.select.me) for term in terms]

    def _by_pairs(self, count: int, body: Formula) -> str:
        """Over all pairs of the one that looks and one in view."""
        select, relation, id_ = self.select, self.view.relation, sql_column(ID)
        joins: dict[str, object] = {}
        mine, it = (Row(alias, select.reads, joins) for alias in ("mine", IT))
        for row, at, column in (
            (mine, relation.own, f"pair.{key_column(0)}"),
            (it, relation.others, f"pair.{id_}"),
        ):
            joins[row.alias] = (
                f"JOIN {sql_table(at)} AS {row.alias} ON {row.alias}.{id_} = {column}"
            )
        said = select.condition(self.statement, body, {Whose.MY: mine, Whose.ITS: it})
        group = Group(it, f"({self.view.pairs(select.reads)}) AS pair", [f"pair.{key_column(0)}"])
        own = select.me.column(ME, select.location, ID)
        joined = select.join((relation, "pairs", body), group, [own])
        return f"COALESCE({joined.aggregate(COUNT, '*', said)}, 0) >= {count}"


def _speaks_of(atom: Formula) -> set[Whose]:
    """Of whom an atom speaks; a constant is anyone's."""
    match atom:
        case Test(term):
            return {term.whose}
        case Comparison(left, _, right):
            return {term.whose for term in (*left, *right) if term.constant is None}
    return set()


def _its_first(atom: Formula) -> Comparison:
    """A comparison with the side of the one in view first."""
    assert isinstance(atom, Comparison)
    is_mine = any(term.whose is Whose.MY and term.constant is None for term in atom.left)
    return atom.reversed if is_mine else atom


def _where(formula: Formula, known: Mapping[Formula, bool]) -> Formula:
    """What is left of a formula where some of its atoms hold, or do not."""
    return simplified(
        with_atoms(formula, lambda atom: Constant(known[atom]) if atom in known else atom)
    )


def simplified(formula: Formula) -> Formula:
    """The same without constants inside."""
    match formula:
        case Not(term):
            inner = simplified(term)
            return Constant(not inner.value) if isinstance(inner, Constant) else Not(inner)
        case And(terms) | Or(terms):
            decides = isinstance(formula, Or)  # the constant that decides the whole
            parts = [simplified(term) for term in terms]
            if as_formula(decides) in parts:
                return as_formula(decides)
            kept = [part for part in dict.fromkeys(parts) if not isinstance(part, Constant)]
            return disjunction(*kept) if decides else conjunction(*kept)
    return formula
