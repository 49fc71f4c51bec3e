"""What a program refuses of inputs, as queries: those of ``algorithms/_given.py``, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from algolens.engines.sql_select import ID, Read, in_quotes, sql_column

if TYPE_CHECKING:
    from algolens.engines.program import Program

# of each check, the ids of what it refuses. {0}, {1}: the columns and numbers that it names
QUERIES = {
    "end_not_before": "SELECT id FROM node WHERE {0} > {1}",
    "ascending": """SELECT id FROM (
  SELECT id, {0} - LAG({0}) OVER (ORDER BY id) AS more FROM node
) AS row_of WHERE more < 0""",
    "below_count": "SELECT id FROM graph WHERE {0} >= (SELECT COUNT(*) FROM node)",
    "pattern_last": """SELECT id FROM (
  SELECT id, {0} - LAG({0}) OVER (ORDER BY id) AS more FROM node
) AS row_of WHERE more < 0
UNION ALL SELECT id FROM (
  SELECT MIN(id) AS id, SUM({0}) AS inside, COUNT(*) - SUM({0}) AS outside FROM node
) AS whole WHERE inside < 1 OR (inside > 1 AND inside > outside)""",
    "first_word_first": """SELECT me.id FROM node AS me JOIN node AS above ON above.id = me.{0}
WHERE me.{1} = 0 AND above.{1} = 1""",
    "no_three_on_a_line": """SELECT b.id FROM node AS a JOIN node AS b ON a.id < b.id
WHERE a.{0} = b.{0} AND a.{1} = b.{1}
UNION ALL SELECT c.id
FROM node AS a JOIN node AS b ON a.id < b.id JOIN node AS c ON b.id < c.id
WHERE (b.{0} - a.{0}) * (c.{1} - a.{1}) = (b.{1} - a.{1}) * (c.{0} - a.{0})""",
    # nodes from the highest priority on, and the colors that they take, as ",id:color,"; NULL where
    # none is left
    "colors_suffice": """SELECT id FROM (
  WITH RECURSIVE place AS (
    SELECT id, ROW_NUMBER() OVER (ORDER BY {0} DESC, id) AS number FROM node
  ), palette(color) AS (
    SELECT 1 UNION ALL SELECT color + 1 FROM palette WHERE color < {1}
  ), higher AS (
    SELECT me.id AS id, other.id AS other
    FROM link JOIN node AS me ON me.id = link.receiver JOIN node AS other ON other.id = link.sender
    WHERE other.{0} > me.{0}
  ), taken(number, id, colors) AS (
    SELECT 0, -1, ','
    UNION ALL
    SELECT place.number, place.id, taken.colors || place.id || ':' || (
      SELECT MIN(color) FROM palette WHERE NOT EXISTS (
        SELECT 1 FROM higher WHERE higher.id = place.id
        AND INSTR(taken.colors, ',' || higher.other || ':' || palette.color || ',') > 0
      )
    ) || ','
    FROM taken JOIN place ON place.number = taken.number + 1 WHERE taken.colors IS NOT NULL
  )
  SELECT id FROM taken WHERE colors IS NULL
) AS stuck""",
    "graph": "SELECT MIN(id) AS id FROM {at} GROUP BY {0} HAVING COUNT(*) > 1",
    "neighbours": """SELECT me.id
FROM link JOIN node AS me ON me.id = link.receiver JOIN node AS other ON other.id = link.sender
WHERE me.{0} = other.{0}""",
}


@dataclass(frozen=True)
class Refusals:
    """What is refused."""

    query: str | None  # of the names of checks, and the first id that each refuses; None: no check
    reads: set[Read]


def refusals(program: Program) -> Refusals:
    """The query of what a program refuses, and what it reads."""
    fields, parts, reads = program.program.inputs, [], set[Read]()
    named = [*program.checks]
    for name, field in fields.items():
        if field.distinct:
            named.append((field.distinct, name))
    for check, *arguments in named:
        inputs = [one for one in arguments if isinstance(one, str)]
        reads |= {(fields[name].at, name) for name in inputs}
        query = QUERIES[str(check)]
        if "link" in query:
            reads |= {("link", end) for end in ("sender", "receiver")}
        columns = [sql_column(one) if isinstance(one, str) else str(one) for one in arguments]
        said = query.format(*columns, at=sql_column(fields[inputs[0]].at))
        said_of = in_quotes(f"{check} ({', '.join(inputs)})")
        parts.append(
            f"SELECT {said_of} AS {sql_column('field')}, MIN(id) AS {sql_column(ID)} FROM (\n{said}"
            "\n) AS refused"
        )
    return Refusals("\nUNION ALL ".join(parts) or None, reads)
