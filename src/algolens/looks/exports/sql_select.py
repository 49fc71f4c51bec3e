"""One SELECT: values of every row of a location, by joins alone.

What is said of those in view is a LEFT JOIN of a GROUP BY: a COUNT or, where the two are compared
("no other ... with a lower key"), a MIN or MAX. Where neither says it (at least 2 with a lower key,
or two comparisons at once), all pairs are joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from algolens.graphs import Location
from algolens.logic.formula import Formula, Not, formula_text
from algolens.logic.notation import Notation
from algolens.looks.exports.sql_quantifiers import InView, simplified
from algolens.looks.exports.sql_rows import (
    BEFORE,
    ID,
    IT,
    ME,
    MIN,
    NEVER,
    Group,
    Path,
    Read,
    Row,
    View,
    in_quotes,
    key_column,
    sql_column,
    sql_comparison,
    sql_table,
    truth_value,
)
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Test
from algolens.looks.moves import Mover
from algolens.looks.statement import Statement
from algolens.looks.terms import Term, Whose

Rows = Mapping[Whose, Row]  # of whom a statement speaks


@dataclass(frozen=True)
class LeftJoin:
    """A group joined to the row that looks, by what its keys are there."""

    alias: str
    group: Group
    on: tuple[str, ...]

    def column(self, name: str) -> str:
        """A column of it."""
        return f"{self.alias}.{sql_column(name)}"

    def aggregate(self, function: str, argument: str, where: str) -> str:
        """A column of it: a function of those for which a condition holds."""
        return self.column(self.group.column(function, argument, where))

    def __str__(self) -> str:
        on = [f"{self.alias}.{key_column(place)} = {mine}" for place, mine in enumerate(self.on)]
        return f"LEFT JOIN (\n  {self.group}\n) AS {self.alias} ON {' AND '.join(on)}"


class Select:
    """Values of every row 'me' of a location, to be selected in one query.

    Parameters
    ----------
    location : Location
        Where the rows sit.
    directed : bool
        Whether edges may have a direction.
    in_place : bool
        Whether what it gives is written in place of its column in what comes later; else a column
        of the same name is the one before.
    """

    def __init__(
        self, location: Location, *, directed: bool = True, in_place: bool = False
    ) -> None:
        self.location, self.directed = location, directed
        self.reads: set[Read] = set()
        self.conditions: dict[str, str] = {}  # masks that it gives
        self.values: dict[str, str] = {}  # all else that it gives
        self.me = Row(ME, self.reads)
        if in_place:
            self.me.conditions, self.me.values = self.conditions, self.values
        self._joined: dict[object, LeftJoin] = {}
        self._firsts: dict[tuple[str, str], str] = {}  # aliases of the first that are marked

    def query(self, kept: Iterable[str]) -> str:
        """The query: columns that are kept as they are, then what it gives."""
        columns = {name: f"{ME}.{sql_column(name)}" for name in kept}
        columns |= {name: truth_value(said) for name, said in self.conditions.items()}
        listed = [
            f"  {value} AS {sql_column(name)}" for name, value in (columns | self.values).items()
        ]
        source = f"FROM {sql_table(self.location)} AS {ME}"
        return "\n".join(["SELECT", ",\n".join(listed), source, *map(str, self.me.joins.values())])

    # ---- statements

    def condition(
        self, statement: Statement, formula: Formula | None = None, rows: Rows | None = None
    ) -> str:
        """Where a statement holds, or a part of it.

        The quantifiers are written by themselves, and not asked of the statement: exactness.md.
        """
        of_whom = rows or {Whose.MY: self.me}

        def value(term: Term) -> str:
            return self.value(statement, term, of_whom[term.whose])

        def atom(part: Formula) -> str:
            match part:
                case Quantified():
                    return self._quantified(statement, part)
                case Test(Term(whose, (name,)), None) if name in of_whom[whose].conditions:
                    value(Term(whose, (name,)))  # which notes that it is read
                    return f"({of_whom[whose].conditions[name]})"
                case Test(term, label):
                    return f"{value(term)} = {1 if label is None else in_quotes(label)}"
                case Comparison(left, order, right):
                    return sql_comparison(list(map(value, left)), order, list(map(value, right)))
            raise TypeError(f"{type(part).__name__} is no part of a look")

        said = statement.formula if formula is None else formula
        return formula_text(said, Notation(" AND ", " OR ", "NOT ", "1 = 1", NEVER, atom=atom))

    def value(self, statement: Statement, term: Term, row: Row) -> str:
        """What a term of a statement is, of a row."""
        if term.constant is not None:
            return str(term.constant)
        return row.value(statement.resolve(term), statement.scope)

    def _quantified(self, statement: Statement, part: Quantified) -> str:
        is_every = part.quantity is Quantity.EVERY
        view = View(part.relation, statement.scope, directed=self.directed)
        count = part.count if part.quantity is Quantity.AT_LEAST else 1
        met = InView(self, statement, view).at_least(
            count, simplified(Not(part.body) if is_every else part.body)
        )
        return f"{'NOT ' if is_every else ''}({met})"

    # ---- groups

    def group(
        self, statement: Statement, view: View, mine: Path, keys: Sequence[tuple[Term, str]] = ()
    ) -> LeftJoin:
        """The group that a path of mine leads to. keys: what else all there agree on."""
        what = (view.relation, mine, tuple(keys))
        if what not in self._joined:
            row = Row(IT, self.reads)
            source, key = view.entries(row)
            its = [self.value(statement, term, row) for term, _ in keys]
            own = self.me.path(mine, self.location, view.scope)
            self.join(what, Group(row, source, [key, *its]), [own, *(value for _, value in keys)])
        return self._joined[what]

    def join(self, what: object, group: Group, on: Sequence[str]) -> LeftJoin:
        """A group joined by its keys, once for what it is."""
        if what not in self._joined:
            alias = f"group_{len(self._joined) + 1}"
            self._joined[what] = LeftJoin(sql_column(alias), group, tuple(on))
            self.me.joins[alias] = self._joined[what]
        return self._joined[what]

    def extreme(
        self,
        statement: Statement,
        view: View,
        mine: Path,
        function: str,
        terms: Sequence[Term],
        where: Formula,
    ) -> list[str]:
        """The least (or greatest) values of those in a group for which a formula holds."""
        if len(terms) == 1:
            joined = self.group(statement, view, mine)
            row = {Whose.ITS: joined.group.row}
            value = self.value(statement, terms[0], row[Whose.ITS])
            return [joined.aggregate(function, value, self.condition(statement, where, row))]
        chained, names = self._of_first(statement, view, function, terms, where)
        own = self.me.path(mine, self.location, view.scope)
        joined = self.join((view.relation, mine, function, tuple(terms), where), chained, [own])
        return [joined.column(name) for name in names]

    def _of_first(
        self, statement: Statement, view: View, function: str, terms: Sequence[Term], where: Formula
    ) -> tuple[Group, list[str]]:
        """The least of several values, as words in a dictionary: of the first, then of the next."""
        group = self._rows_in_view(view)
        row = group.row
        values = [self.value(statement, term, row) for term in terms]
        said = self.condition(statement, where, {Whose.ITS: row})
        least: list[str] = []
        if len(terms) > 1:
            before, names = self._of_first(statement, view, function, terms[:-1], where)
            least = [f"{BEFORE}.{sql_column(name)}" for name in names]
            # equal, as none is beyond; but by "=" a planner may join all rows of equal values first
            beyond = Order.NOT_HIGHER if function == MIN else Order.NOT_LOWER
            pairs = zip(values, least, strict=False)
            on = [sql_comparison([value], beyond, [end]) for value, end in pairs]
            row.joins[BEFORE] = _before(before, group, on)
        return group, [group.column(function, value, said) for value in (*least, values[-1])]

    def _rows_in_view(self, view: View) -> Group:
        row = Row(IT, self.reads)
        source, key = view.entries(row)
        return Group(row, source, [key])

    # ---- moves

    def moved(self, mover: Mover, before: str) -> str:
        """What a field becomes; ``before``, where it stays."""
        move = mover.move
        if move.relation is None:
            value = self.me.value(mover.value, mover.scope)
        else:
            view = View(move.relation, mover.scope, directed=self.directed)
            chosen = [self._first_marked(mover, view, mine) for mine in view.mine]
            first = chosen[0]
            for other in chosen[1:]:
                is_lower = f"({first}) IS NULL OR ({other}) < ({first})"
                first = f"CASE WHEN {is_lower} THEN ({other}) ELSE ({first}) END"
            if mover.value.steps or mover.value.field is not None:
                table = sql_table(move.relation.others)
                alias = self._firsts.setdefault((table, first), f"first_{len(self._firsts) + 1}")
                row = Row(alias, self.reads, self.me.joins, "LEFT JOIN")
                row.joins.setdefault(
                    alias, f"LEFT JOIN {table} AS {alias} ON {alias}.{sql_column(ID)} = {first}"
                )
                first = row.value(mover.value, mover.scope)
            value = f"COALESCE({first}, {before})"
        if mover.guard is None:
            return value
        return f"CASE WHEN {self.condition(mover.guard)} THEN {value} ELSE {before} END"

    def _first_marked(self, mover: Mover, view: View, mine: Path) -> str:
        """The lowest id of those in view that are marked; NULL where none is."""
        assert mover.mark is not None
        own = self.me.column(ME, self.location, ID)
        if view.is_direct:
            alias, _ = self.me.follow(mine, self.location, view.scope)
            row = Row(alias, self.reads, self.me.joins)
            marked = self.condition(mover.mark, rows={Whose.MY: row})
            if view.relation.others_only:
                marked = f"({marked}) AND {sql_column(alias)}.{sql_column(ID)} <> {own}"
            return f"CASE WHEN {marked} THEN {sql_column(alias)}.{sql_column(ID)} END"
        joined = self.group(mover.mark, view, mine)
        first = joined.aggregate(MIN, *_marked(self, mover, joined.group))
        if not view.relation.others_only:
            return first
        # an element that comes first itself takes the next
        firsts, seconds = self._rows_in_view(view), self._rows_in_view(view)
        name = firsts.column(MIN, *_marked(self, mover, firsts))
        id_, said = _marked(self, mover, seconds)
        seconds.row.joins[BEFORE] = _before(firsts, seconds, [])
        second = seconds.column(MIN, id_, f"({said}) AND {id_} > {BEFORE}.{sql_column(name)}")
        key = self.me.path(mine, self.location, view.scope)
        next_ = self.join((view.relation, mine, mover.mark.formula), seconds, [key]).column(second)
        return f"CASE WHEN {first} = {own} THEN {next_} ELSE {first} END"


def _marked(select: Select, mover: Mover, group: Group) -> tuple[str, str]:
    """The id of one in view, and where it is marked."""
    assert mover.mark is not None
    said = select.condition(mover.mark, rows={Whose.MY: group.row})
    return f"{sql_column(group.row.alias)}.{sql_column(ID)}", said


def _before(before: Group, group: Group, more: Sequence[str]) -> str:
    """The join of what is known of a group to its rows."""
    on = " AND ".join([f"{BEFORE}.{key_column(0)} = {group.keys[0]}", *more])
    return f"JOIN (\n  {before}\n) AS {BEFORE} ON {on}"
