"""All that the page of a run shows, as JSON: the graph, what is declared, and every step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration
from algolens.algorithms._scales import attributes_at
from algolens.algorithms.coloring import Coloring
from algolens.errors import AlgoLensError, GraphError
from algolens.evaluation import Side
from algolens.execution import Run, Stopped, Timeline
from algolens.execution.numbers import given_numbers
from algolens.fields import Mask, Number, Pointer
from algolens.graphs import Graph, Location
from algolens.layouts import BoxLayout, Plane
from algolens.logic.going_on import GoOn, Quantifier
from algolens.logic.rule_set import RuleSet
from algolens.looks.english import name_in_english
from algolens.looks.exports.readable import moved, sums, writings
from algolens.looks.language import Quantified, atoms
from algolens.looks.relations import Relation
from algolens.looks.speech import UNTIL
from algolens.player.part import Part, choose_part, root_of
from algolens.reports.layout import laid_out
from algolens.terminal.declared import algorithm_facts
from algolens.terminal.names import written
from algolens.terminal.pseudocode import code_lines

LEAST_RANKED = 1_000  # numbers that were drawn at random are told as ranks from here on
MOST_EXACT = 2**53  # JavaScript's numbers are exact below; larger ones are written as text


def pages_data(
    sides: Sequence[Side], graph_name: str, *, around: int | None = None
) -> list[dict[str, Any]]:
    """The pages of runs of several algorithms on one graph, one for each algorithm.

    Nodes stand at the same places in all of them.
    """
    groups = [
        list(group) for _, group in groupby(sides, key=lambda side: repr(side.run.algorithm))
    ] or [[]]
    first = page_data(groups[0], graph_name, around=around)
    if around is None and first["part"] is not None:
        around = first["part"]["around"]
    pages = [first, *(page_data(group, graph_name, around=around) for group in groups[1:])]
    graph = sides[0].run.graph
    for page, (side, *_) in zip(pages[1:], groups[1:], strict=True):
        if (side.run.graph.num_nodes, side.run.graph.directed) != (
            graph.num_nodes,
            graph.directed,
        ) or not torch.equal(side.run.graph.edges, graph.edges):
            raise AlgoLensError(
                f"{first['algorithm']['name']} and {page['algorithm']['name']} do not run on one "
                "graph: their nodes, edges or directions differ. Show them on two pages."
            )
        if page["graph"]["places"] and first["graph"]["places"]:
            page["graph"] = {**page["graph"], "places": first["graph"]["places"]}
    return pages


def page_data(
    sides: Sequence[Side], graph_name: str, *, around: int | None = None
) -> dict[str, Any]:
    """The page of runs of one algorithm, as JSON.

    graph_name: what the user calls the graph. around: a node near which it is shown; None: all of
    it where there is room, else a part.
    """
    if not sides:
        raise AlgoLensError("there is no run to show: give at least one.")
    run = sides[0].run
    if run.graph.num_graphs != 1:
        raise GraphError(
            f"a page shows a run of one graph, and this one is of {run.graph.num_graphs}: take one "
            "of them."
        )
    for side in sides[1:]:
        if side.run.algorithm != run.algorithm or not _same_task(side.run, run):
            raise AlgoLensError(
                "runs of one algorithm that stand side by side are of one graph and one set of "
                "inputs."
            )
    fields, part = run.algorithm.declaration.inputs, choose_part(sides, around)
    document = {
        "graph_name": graph_name,
        "algorithm": _algorithm(run.algorithm, run.graph),
        "inputs": {name: _values(part.values(run.inputs[name], fields[name])) for name in fields},
        "given": {
            name: _given(run, name, part)
            for name, field in fields.items()
            if isinstance(field.kind, Number)
        },
        "drawn": [
            name for name, field in fields.items() if field.drawn and not _is_carried(run, name)
        ],
        "scales": _scales(run),
        "sides": [_side(side, part) for side in sides],
        "part": None if part.around is None else _part(part),
    }
    # last, for it names all that pointers lead to
    return {**document, "graph": _graph(run, part)}


def _part(part: Part) -> dict[str, Any]:
    """What is told of a part, and which numbers its elements have in the whole."""
    drawn = (Location.NODE, Location.EDGE)
    return {
        "told": part.told,
        "around": part.around,
        "numbers": {at.value: part.shown[at].tolist() for at in drawn},
        "counts": {at.value: part.whole.count(at) for at in drawn},
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
        "title": algorithm.title,
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
        "layout": algorithm.layout.to_json({**declaration.inputs, **predicted}),
        "most_steps": int(algorithm.max_steps(graph)[0]),
        "on_other_graphs": _on_other_graphs(algorithm),
        # as text, for they may be large
        "bounds": {
            name: [str(kind.least), str(kind.most)]
            for name in declaration.state
            if isinstance(kind := predicted[name].kind, Number)
        },
        "look": None if look is None else _exact(look.to_json()),
        "relations": _relations(algorithm),
        "texts": {}
        if look is None
        else {name: said for name, _, said in [*writings(look), *sums(look)]},
        "moves": {} if look is None else _texts_of_moves(algorithm),
        "rules": declaration.rule_set.to_json()["rules"],
        "words": _words(declaration),
        "pseudocode": [line.to_json() for line in code_lines(algorithm)],
    }


def _words(declaration: Declaration) -> dict[str, Any]:
    """What is said of the algorithm, as parts; and of each concept by its name alone."""
    nothing: dict[str, Any] = {
        "order": [],
        "until": UNTIL,
        "examined": None,
        "cases": {},
        "moves": {},
        "made": {},
    }
    speech = declaration.speech
    names = dict.fromkeys((*declaration.concepts, *declaration.look))
    said = {name: [name_in_english(name, True), name_in_english(name, False)] for name in names}
    return {**(nothing if speech is None else speech.to_json()), "plain": said}


def _on_other_graphs(algorithm: Algorithm) -> dict[str, Any] | None:
    """What a page has to know to run it on another graph; None where only Python can check that."""
    declaration, made = algorithm.declaration, type(algorithm)
    kinds = [field.kind for field in declaration.inputs.values()]
    is_checked = made.check is not Algorithm.check and not isinstance(algorithm, Coloring)
    is_counted = made.max_steps is Algorithm.max_steps
    is_given = all(isinstance(kind, Mask | Number | Pointer) for kind in kinds) and all(
        field.location is Location.GRAPH
        for field in declaration.inputs.values()
        if isinstance(field.kind, Pointer)
    )
    if declaration.seen is None or is_checked or not (is_counted and is_given) or algorithm.table:
        return None
    limit = declaration.most_steps
    return {
        "limit": [limit.times, limit.counted],
        # numbers that are counted together, and whether only whole ones are
        "units": {
            name: [sorted(unit.members), unit.is_whole or unit.degree > 1]
            for name, unit in declaration.units.items()
        },
        "loops_matter": algorithm.loops_matter,
        "parallel_edges_matter": algorithm.parallel_edges_matter,
        "neighbours_differ_in": "color" if isinstance(algorithm, Coloring) else None,
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
    speech = algorithm.declaration.speech
    relations: list[Relation] = [] if speech is None else speech.relations
    relations += [mover.move.relation for mover in look.movers if mover.move.relation is not None]
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


def _graph(run: Run, part: Part) -> dict[str, Any]:
    nodes, root = part.shown[Location.NODE].tolist(), root_of(run)
    number = None if root is None else part.number(Location.NODE, root)
    root_here = None if number is None or number >= len(nodes) else number
    layout = run.algorithm.layout
    # boxes, and points of the plane, are placed by the page, from fields
    places = np.zeros((0, 2))
    form = layout.form
    if not isinstance(layout, BoxLayout | Plane):
        drawn = laid_out(part.graph, root_here, layout)
        places, form = drawn.places, drawn.form
    return {
        "directed": run.graph.directed,
        "nodes": [run.graph.name_of(node) for node in nodes],
        "edges": part.edges.T.tolist(),
        "places": places.round(3).tolist(),
        "form": form,
        "outside": part.names_outside(),
    }


def _scales(run: Run) -> dict[str, int]:
    """What the user's numbers were multiplied by to be whole, by field, where they were."""
    units = run.algorithm.declaration.units
    scales = {name: run.scale_of(name).factor for name in units}
    return {name: scale for name, scale in scales.items() if scale != 1}


def _given(run: Run, name: str, part: Part) -> list[str]:
    """An input's numbers as the user wrote them; of large ones that were drawn, their ranks."""
    numbers = given_numbers(run.algorithm, run.graph, run.inputs, name)
    field = run.algorithm.declaration.inputs[name]
    if field.drawn and not _is_carried(run, name) and max(numbers, default=0) >= LEAST_RANKED:
        ranks = {number: rank for rank, number in enumerate(sorted(set(numbers)), 1)}
        numbers = [ranks[number] for number in numbers]
    return [written(numbers[place]) for place in part.shown[field.location].tolist()]


def _is_carried(run: Run, name: str) -> bool:
    """Whether the user's graph carries an input, which is else drawn at random."""
    return name in attributes_at(run.graph, run.algorithm.declaration.inputs[name].location)


# ---- the steps


def _side(side: Side, part: Part) -> dict[str, Any]:
    run = side.run.with_trace()
    known, rules = run.algorithm.declaration.predicted, side.rule_set.to_json()
    fields = {**(run.concepts if run.has_concepts else {}), **run.outputs, **run.hints}
    mistake = None if side.mistake is None else side.mistake.to_json()
    if mistake is not None and mistake["element"] is not None:
        mistake["element"] = part.number(Location(mistake["at"]), mistake["element"])
    return {
        "by": side.by,
        "steps": run.num_steps,
        "stopped": Stopped(int(run.stopped[0])).word,
        "start": {name: _values(part.values(run.start[name], known[name])) for name in run.start},
        "trace": {
            name: _changes(part.over_time(timeline, known[name]))
            for name, timeline in fields.items()
        },
        "outcomes": {name: bool(value[0]) for name, value in run.outcomes.items()},
        "has_concepts": run.has_concepts,
        "sureness": {
            name: _changes(part.over_time(percent, known[name]))
            for name, percent in side.sureness.items()
            if run.has_concepts
        },
        "goes_on_against": _goes_on_against(run, side.rule_set),
        **{key: rules[key] for key in ("rules", "continues") if key in rules},
        "difference": mistake,
    }


def _goes_on_against(run: Run, rule_set: RuleSet) -> list[int]:
    """The steps, from 1 on, after which a network stops or goes on against its own rule."""
    if rule_set.continues is None or not run.has_concepts or not run.num_steps:
        return []
    against = _asks(run, rule_set.continues) != run.goes_on[:, 0]
    return (against.nonzero().flatten() + 1).tolist()


def _asks(run: Run, rule: GoOn) -> Tensor:
    """[T] bools: does a rule ask for another step, by what is seen after each?"""
    steps, elements = _points([run.concepts[name] for name in rule.names], len(run.resting))
    seen = {name: run.concepts[name].values_at(steps, elements) for name in rule.names}
    is_witness = torch.as_tensor(rule.witness.evaluate(seen)).expand(len(steps)).long()
    # a point says that an element becomes a witness, or is one no more
    news = is_witness.clone()
    news[1:] -= torch.where(elements[1:] == elements[:-1], is_witness[:-1], 0)
    counts = torch.zeros(run.num_steps, dtype=torch.int64).index_add_(0, steps, news).cumsum(0)
    resting = dict(zip(run.concepts, run.resting.unbind(1), strict=True))
    last = torch.as_tensor(rule.witness.evaluate(resting)).expand(len(run.resting)).sum()
    has_witness = torch.cat([counts[1:], last[None]]) > 0
    return has_witness if rule.quantifier is Quantifier.EXISTS else ~has_witness


def _points(fields: Sequence[Timeline], count: int) -> tuple[Tensor, Tensor]:
    """Steps and elements where one of some fields is new, at step 0 all; element by element."""
    everyone = torch.arange(count)
    steps = torch.cat([torch.zeros_like(everyone), *(field.steps.long() for field in fields)])
    elements = torch.cat([everyone, *(field.elements.long() for field in fields)])
    most = int(steps.max()) + 1 if len(steps) else 1
    points = (elements * most + steps).unique()
    return points % most, points // most


def _changes(over_time: Timeline) -> dict[str, list[Any]]:
    """The first frame, the steps that change it, and for each the places and values, in turn."""
    steps: list[int] = []
    changes: list[list[Any]] = []
    columns = over_time.steps.tolist(), over_time.elements.tolist(), _values(over_time.values)
    for step, place, value in zip(*columns, strict=True):
        if not steps or steps[-1] != step:
            steps.append(step)
            changes.append([])
        changes[-1] += (place, value)
    first = _values(over_time.first) if over_time.num_steps else []
    return {"first": first, "steps": steps, "changes": changes}


def _values(values: Tensor) -> list[Any]:
    """Whole numbers; as text where JavaScript would round them."""
    exact: list[int | str] = _exact(values.long().tolist())
    return exact


def _exact(value: Any) -> Any:
    """The same JSON, large numbers as text."""
    if isinstance(value, dict):
        return {name: _exact(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_exact(part) for part in value]
    return str(value) if isinstance(value, int) and abs(value) >= MOST_EXACT else value
