"""A run as a page holds it: its start, and what changes in every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from algolens.engines import Run, Stopped, Timeline
from algolens.evaluation import Side
from algolens.logic import GoOn, Quantifier
from algolens.logic.rule_set import RuleSet
from algolens.player.declared import rules_data, short
from algolens.player.part import Part


def side_data(side: Side, part: Part) -> dict[str, Any]:
    """One run as JSON."""
    run = side.run.with_trace()
    known = run.algorithm.declaration.predicted
    fields = {**(run.concepts if run.has_concepts else {}), **run.outputs, **run.hints}
    mistake = None if side.mistake is None else side.mistake.to_json()
    if mistake is not None and mistake["element"] is not None:
        mistake["element"] = part.number(mistake["at"], mistake["element"])
    return {
        "by": side.by,
        "steps": run.num_steps,
        "stopped": Stopped(int(run.stopped[0])).word,
        "start": {
            name: whole_values(part.values(run.start[name], known[name])) for name in run.start
        },
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
        # None: the algorithm's own
        "decides": None
        if side.rule_set == run.algorithm.declaration.rule_set
        else rules_data(run.algorithm, side.rule_set),
        "difference": mistake,
    }


def _goes_on_against(run: Run, rule_set: RuleSet) -> list[int]:
    """The steps, from 1 on, after which a network stops or goes on against its own rule."""
    if rule_set.continues is None or not run.has_concepts or not run.num_steps:
        return []
    against = _asks(run, rule_set.continues) != run.goes_on[:, 0]
    return (np.flatnonzero(against) + 1).tolist()


def _asks(run: Run, rule: GoOn) -> np.ndarray:
    """[T] bools: does a rule ask for another step, by what is seen after each?"""
    steps, elements = _points([run.concepts[name] for name in rule.names], len(run.resting))
    seen = {name: run.concepts[name].values_at(steps, elements) for name in rule.names}
    is_witness = np.broadcast_to(rule.witness.evaluate(seen), len(steps)).astype(int)
    # a point says that an element becomes a witness, or is one no more
    news = is_witness.copy()
    news[1:] -= np.where(elements[1:] == elements[:-1], is_witness[:-1], 0)
    counts = np.bincount(steps, news, run.num_steps).cumsum()
    resting = dict(zip(run.concepts, run.resting.T, strict=True))
    last = np.broadcast_to(rule.witness.evaluate(resting), len(run.resting)).sum()
    has_witness = np.append(counts[1:], last) > 0
    return has_witness if rule.quantifier is Quantifier.EXISTS else ~has_witness


def _points(fields: Sequence[Timeline], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps and elements where one of some fields is new, at step 0 all; element by element."""
    everyone = np.arange(count)
    steps = np.concatenate([everyone * 0, *(field.steps for field in fields)])
    elements = np.concatenate([everyone, *(field.elements for field in fields)])
    most = int(steps.max()) + 1 if len(steps) else 1
    points = np.unique(elements * most + steps)
    return points % most, points // most


def _changes(over_time: Timeline) -> dict[str, list[Any]]:
    """The first frame, the steps that change it, and for each the places and values, in turn."""
    steps: list[int] = []
    changes: list[list[Any]] = []
    columns = over_time.steps.tolist(), over_time.elements.tolist(), whole_values(over_time.values)
    for step, place, value in zip(*columns, strict=True):
        if not steps or steps[-1] != step:
            steps.append(step)
            changes.append([])
        changes[-1] += (place, value)
    first = whole_values(over_time.first) if over_time.num_steps else []
    return {"first": first, "steps": steps, "changes": changes}


def whole_values(values: np.ndarray) -> list[Any]:
    """Whole numbers; as text where JavaScript would round them."""
    exact: list[int | str] = short(values.astype(int).tolist())
    return exact
