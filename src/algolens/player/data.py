"""All that the page of a run shows, as JSON: the graph, what is declared, and every step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, GraphError
from algolens.evaluation import Side
from algolens.execution import Run, Stopped, Timeline
from algolens.execution.numbers import given_numbers
from algolens.fields import Number
from algolens.graphs import Graph, Location
from algolens.logic.rule_set import RuleSet
from algolens.looks.exports.readable import moved, sums, writings
from algolens.looks.language import Quantified, atoms
from algolens.looks.relations import Relation
from algolens.reports.layout import laid_out
from algolens.terminal.declared import algorithm_facts
from algolens.terminal.names import written

# that a browser draws; beyond 1,000 nodes, without their names
MOST_NODES, MOST_EDGES = 5_000, 20_000
MOST_VALUES = 60_000_000  # that a page keeps of a run: a browser has room for so many
MOST_EXACT = 2**53  # JavaScript's numbers are exact below; larger ones are written as text


def page_data(sides: Sequence[Side], graph_name: str) -> dict[str, Any]:
    """The page of runs side by side, as JSON. graph_name: what the user calls the graph."""
    if not sides:
        raise AlgoLensError("there is no run to show: give at least one.")
    run = sides[0].run
    if run.graph.num_graphs != 1:
        raise GraphError(
            f"a page shows a run of one graph, and this one is of {run.graph.num_graphs}: take one "
            "of them."
        )
    if run.graph.num_nodes > MOST_NODES or run.graph.num_edges > MOST_EDGES:
        raise GraphError(
            f"a page draws {MOST_NODES:,} nodes and {MOST_EDGES:,} edges at most, which is what a "
            f"browser can show, and this graph has {run.graph.num_nodes:,} and "
            f"{run.graph.num_edges:,}: take a part of it, or read the run with --json --trace."
        )
    for side in sides[1:]:
        if side.run.algorithm != run.algorithm or not _same_task(side.run, run):
            raise AlgoLensError(
                "runs that stand side by side are of one algorithm, one graph and one set of "
                "inputs."
            )
    return {
        "graph_name": graph_name,
        "algorithm": _algorithm(run.algorithm, run.graph),
        "graph": _graph(run),
        "inputs": {name: _values(value) for name, value in run.inputs.items()},
        "given": {
            name: _given(run, name)
            for name, field in run.algorithm.declaration.inputs.items()
            if isinstance(field.kind, Number)
        },
        "scales": _scales(run),
        "sides": [_side(side) for side in sides],
    }


def _same_task(one: Run, other: Run) -> bool:
    return torch.equal(one.graph.edges, other.graph.edges) and all(
        torch.equal(value, other.inputs[name]) for name, value in one.inputs.items()
    )


# ---- what is declared


def _algorithm(algorithm: Algorithm, graph: Graph) -> dict[str, Any]:
    declaration, look = algorithm.declaration, algorithm.declaration.seen
    predicted = declaration.predicted
    return {
        "name": algorithm.name,
        "about": " ".join(algorithm_facts(algorithm).split()),
        "options": dict(algorithm.options),
        "location": declaration.location.value,
        "concepts": list(declaration.concepts),
        "inputs": {name: field.to_json() for name, field in declaration.inputs.items()},
        "outputs": {name: predicted[name].to_json() for name in declaration.outputs},
        "hints": {name: field.to_json() for name, field in declaration.hints.items()},
        "state": list(declaration.state),
        "only_where": dict(declaration.only_where),
        "outcomes": list(declaration.outcomes),
        "most_steps": int(algorithm.max_steps(graph)[0]),
        # as text, for they may be large
        "bounds": {
            name: [str(kind.least), str(kind.most)]
            for name in declaration.state
            if isinstance(kind := predicted[name].kind, Number)
        },
        "look": None if look is None else look.to_json(),
        "relations": _relations(algorithm),
        "texts": {}
        if look is None
        else {name: said for name, _, said in [*writings(look), *sums(look)]},
        "moves": {} if look is None else _texts_of_moves(algorithm),
    }


def _texts_of_moves(algorithm: Algorithm) -> dict[str, list[str]]:
    assert algorithm.declaration.seen is not None
    texts: dict[str, list[str]] = {}
    for name, said in moved(algorithm.declaration.seen):
        texts.setdefault(name, []).append(said)
    return texts


def _relations(algorithm: Algorithm) -> dict[str, Any]:
    """The relations that a look speaks of, by their words: the page looks up who is in view."""
    look = algorithm.declaration.seen
    if look is None:
        return {}
    relations: list[Relation] = [
        mover.move.relation for mover in look.movers if mover.move.relation is not None
    ]
    for statement in look.statements:
        relations += [
            atom.relation for atom in atoms(statement.formula) if isinstance(atom, Quantified)
        ]
    return {
        relation.phrase(1): {
            "own": relation.own.value,
            "others": relation.others.value,
            "words": [relation.phrase(1), relation.phrase(2)],
            "others_only": relation.others_only,
            "joins": [
                {
                    "mine": list(join.paths[0]),
                    "its": list(join.paths[1]),
                    "through_links": join.through_links,
                }
                for join in relation.joins
            ],
        }
        for relation in relations
    }


# ---- the graph


def _graph(run: Run) -> dict[str, Any]:
    drawn = laid_out(run.graph, root_of(run))
    return {
        "directed": run.graph.directed,
        "nodes": [run.graph.name_of(node) for node in range(run.graph.num_nodes)],
        "edges": run.graph.edges.T.tolist(),
        "places": drawn.places.round(3).tolist(),
        "form": drawn.form,
    }


def root_of(run: Run) -> int | None:
    """The node that an input of the graph points to: a source."""
    for name, field in run.algorithm.declaration.inputs.items():
        if field.location is Location.GRAPH and field.kind.points_to is Location.NODE:
            return int(run.inputs[name][0])
    return None


def _scales(run: Run) -> dict[str, int]:
    """What the user's numbers were multiplied by to be whole, by field, where they were."""
    units = run.algorithm.declaration.units
    scales = {name: run.scale_of(name).factor for name in units}
    return {name: scale for name, scale in scales.items() if scale != 1}


def _given(run: Run, name: str) -> list[str]:
    """An input's numbers as the user wrote them."""
    return [written(number) for number in given_numbers(run.algorithm, run.graph, run.inputs, name)]


# ---- the steps


def _side(side: Side) -> dict[str, Any]:
    run = side.run.with_trace()
    fields = {**(run.concepts if run.has_concepts else {}), **run.outputs, **run.hints}
    _check_room(run, fields.values())
    sureness = {name: _changes(percent) for name, percent in side.sureness.items()}
    rules = side.rule_set.to_json()
    return {
        "by": side.by,
        "steps": run.num_steps,
        "stopped": Stopped(int(run.stopped[0])).word,
        "start": {name: _values(value) for name, value in run.start.items()},
        "trace": {name: _changes(values) for name, values in fields.items()},
        "outcomes": {name: bool(value[0]) for name, value in run.outcomes.items()},
        "has_concepts": run.has_concepts,
        "sureness": sureness if run.has_concepts else {},
        "goes_on_against": _goes_on_against(run, side.rule_set),
        **{key: rules[key] for key in ("rules", "continues") if key in rules},
        "difference": None if side.mistake is None else side.mistake.to_json(),
    }


def _check_room(run: Run, fields: Iterable[Timeline]) -> None:
    """Refuses a run that a browser has no room for: it keeps a row for every step with news."""
    kept = sum(len(field.steps.unique()) * len(field.first) for field in fields)
    if kept > MOST_VALUES:
        raise GraphError(
            f"this run has {run.num_steps:,} steps on {run.graph.num_nodes:,} nodes and "
            f"{run.graph.num_edges:,} edges: more than a browser has room for ({kept:,} values, "
            f"and {MOST_VALUES:,} at most). Take a smaller graph, or read the run with --json "
            "--trace."
        )


def _goes_on_against(run: Run, rule_set: RuleSet) -> list[int]:
    """The steps, from 1 on, after which a network stops or goes on against its own rule."""
    if rule_set.continues is None or not run.has_concepts or not run.num_steps:
        return []
    against = rule_set.goes_on(run.patterns_ahead()) != run.goes_on[:, 0]
    return (against.nonzero().flatten() + 1).tolist()


def _changes(over_time: Timeline) -> list[list[Any]]:
    """The first frame whole, then of each step the places and values that are new, in turn."""
    if not over_time.num_steps:
        return []
    rows: list[list[Any]] = [_values(over_time.first), *([] for _ in range(1, len(over_time)))]
    columns = over_time.steps.tolist(), over_time.elements.tolist(), _values(over_time.values)
    for step, place, value in zip(*columns, strict=True):
        rows[step] += (place, value)
    return rows


def _values(values: Tensor) -> list[Any]:
    """Whole numbers; as text where JavaScript would round them."""
    return [value if abs(value) < MOST_EXACT else str(value) for value in values.long().tolist()]
