"""All steps of a program by one recursive query of DuckDB, where every step is local.

A step is local where a node's next state follows from its own, and from the links that lead to it
with the state of those who send. Then a step changes nothing at a node unless the step before
changed it or a sender: each round computes the step for these nodes alone (semi-naive evaluation),
and ``USING KEY`` puts what they become in place of what they were. A round is a step, so the state
and the number of steps are those of the run step by step.
"""

from __future__ import annotations

from algolens.engines.numbers import fits
from algolens.engines.sql_source import (
    SqlParts,
    in_stages,
    layered,
    schema_of,
    sql_column,
    unbounded,
)
from algolens.language import ir
from algolens.language.ir import GOES_ON, INDEX_BITS, ME, Const, Expr, Get, Let, children

Column = tuple[ir.At, str]
STATE_BITS = 60  # of every number that is carried from step to step

QUERY = """WITH RECURSIVE run USING KEY ("id") AS (
  SELECT "id", {state}, 1 AS asks, 0 AS step FROM "node"
UNION
  (WITH "reached" AS (
    SELECT "id" FROM run
    UNION SELECT link."receiver" FROM run JOIN "link" AS link ON link."sender" = run."id"
  ), "every node" AS (
    SELECT {given}, {now} FROM recurring.run AS run JOIN "node" AS node ON node."id" = run."id"
  ), {stages}
  SELECT next."id", {next}, next.asks, (SELECT MAX(step) + 1 FROM run) AS step
  FROM "next" AS next JOIN recurring.run AS run ON run."id" = next."id"
  WHERE ({differs} OR next.asks <> run.asks)
  AND (SELECT MAX(step) FROM run) < {most}
  AND NOT EXISTS (SELECT 1 FROM run WHERE {beyond})
  AND ((SELECT MAX(step) FROM run) = 0 OR EXISTS (SELECT 1 FROM "next" WHERE asks = 1)
    OR EXISTS (SELECT 1 FROM recurring.run AS run ANTI JOIN "reached" USING ("id") WHERE asks = 1)))
)
SELECT {given}, {now}, run.step FROM run JOIN "node" AS node ON node."id" = run."id\""""


def at_once(parts: SqlParts, most: int) -> tuple[str, str] | None:
    """The query of the nodes after all steps, with the ``step`` that last changed each.

    Besides, a condition on them: where it holds, numbers grow so large that the steps are to be
    taken one by one. None: a step is not local.
    """
    lowered = parts.program
    match [let.value for let in lowered.lets if let.name == GOES_ON]:
        case []:
            wanted: Expr = Const(True)
        case [ir.Any(ir.Group("node"), wanted)]:
            pass
        case _:
            return None
    lets = [*(let for let in lowered.lets if let.at != "graph"), Let("asks", "node", wanted)]
    if "link" not in parts.columns or not _is_local(lowered, lets, parts.directed):
        return None
    state = [sql_column(name) for name in lowered.outputs | lowered.state]
    schema = schema_of(lowered, parts.directed)
    kept = {at: [*parts.columns[at]] for at in ("node", "link")}
    kept["node"] += lowered.outputs | lowered.state
    schema.rows |= {"node": "node 0", "link": "link 0"}
    schema.led_to["node"] = '"every node"'
    stages = {
        "node 0": 'SELECT node.* FROM "every node" AS node JOIN "reached" USING ("id")',
        "link 0": 'SELECT link.* FROM "link" AS link JOIN "reached" ON "reached"."id" = '
        'link."receiver"',
    }
    for number, stage in enumerate(in_stages(lets), 1):
        made = {at: layered(layers, schema, at, kept[at]) for at, layers in stage.items()}
        for at, layers in stage.items():
            stages[f"{at} {number}"] = made[at]
            schema.rows[at] = f"{at} {number}"
            kept[at] += [let.name for layer in layers for let in layer]
    becomes = [unbounded(let) for let in lowered.becomes]
    stages["next"] = layered([becomes], schema, "node", ["id", "asks"])
    largest = 2**STATE_BITS - 1
    beyond = " OR ".join(
        f"{sql_column(name)} NOT BETWEEN {max(field.bounds[0], -largest)} AND "
        f"{min(field.bounds[1], largest)}"
        for name, field in (lowered.outputs | lowered.state).items()
        if field.kind == "number"
    )
    query = QUERY.format(
        state=", ".join(state),
        given=", ".join(f"node.{sql_column(name)}" for name in parts.columns["node"]),
        now=", ".join(f"run.{name}" for name in state),
        next=", ".join(f"next.{name}" for name in state),
        differs=" OR ".join(f"next.{name} IS DISTINCT FROM run.{name}" for name in state),
        beyond=beyond or "1 = 0",
        stages=",\n".join(f'"{name}" AS (\n{query}\n)' for name, query in stages.items()),
        most=most,
    )
    return query, beyond or "1 = 0"


def _is_local(program: ir.Program, lets: list[Let], directed: bool) -> bool:
    """Whether all state is at nodes, and what a node becomes follows from its own links."""
    fields = program.inputs | program.outputs | program.state
    carried = program.outputs | program.state
    state = {(field.at, name) for name, field in carried.items()}
    changing = state | {(let.at, let.name) for let in program.lets}
    largest = {
        (field.at, name): 2 ** min(field.bits, STATE_BITS)
        for name, field in fields.items()
        if field.kind == "number"
    }

    def is_local(node: Expr, at: ir.At) -> bool:
        match node:
            case Get(column, table, of) if (table, column) in changing:
                match of:
                    case Get("sender" | "receiver", "link" | "side", row):
                        is_near = (table, column) in state and (at == "link" or row != ME)
                    case row:
                        is_near = row == ME
                return (is_near or isinstance(row, ir.First)) and is_local(row, at)
            case ir.Any(group) | ir.Count(group) | ir.First(group):
                mine: Expr = Get("receiver", "link") if at == "link" else ME
                pairs = zip(group.key, group.mine, strict=True)
                return (
                    (group.rows == "link" or (group.rows == "side" and not directed))
                    and (Get("receiver", group.rows), mine) in pairs
                    and all(is_local(part, at) for part in group.mine)
                    and all(is_local(p, "link") for p in children(node) if p not in group.mine)
                )
            case ir.Pairs():
                return False
        return all(is_local(part, at) for part in children(node))

    steps = [*lets, *program.becomes]
    return (
        fits(program, largest, 2**INDEX_BITS)
        and all(field.at == "node" for field in carried.values())
        and all(let.at in ("node", "link") and is_local(let.value, let.at) for let in steps)
    )
