"""Sorts and the search by partition, as CLRS tells of orders; ``tasks.toml`` names these
functions.
"""

from __future__ import annotations

import numpy as np

from algolens.clrs.ours import Ours, earlier, from_state, mark_at, new


def _order(run: Ours) -> np.ndarray:
    """[states, N] which node stands at a place."""
    return run["place"].argsort(-1)


def predecessors(run: Ours) -> np.ndarray:
    """[..., N] which node stands before a node; the first has itself."""
    order = _order(run)
    before = np.zeros_like(order)
    ahead = np.concatenate([order[..., :1], order[..., :-1]], -1)
    np.put_along_axis(before, order, ahead, -1)
    return before


def _standing_at(run: Ours, places: np.ndarray) -> np.ndarray:
    """[states, N] a mark at the node that stands at a place after the step."""
    return mark_at(np.take_along_axis(_order(run), places[:, None], 1)[:, 0], run.n)


def standing_where(run: Ours, name: str, first: str = "0") -> np.ndarray:
    """[states, N] a mark at the node that stands after the step where a number of the graph pointed
    before it. first: the state before which CLRS says nothing of it.
    """
    return from_state(_standing_at(run, _before(run, name)), int(first))


def _before(run: Ours, name: str) -> np.ndarray:
    """[states] a number of the graph before the step."""
    return earlier(run[name][:, 0])


def _step(run: Ours, name: str) -> np.ndarray:
    """[states] whether it was seen at the graph in the step that led to a state."""
    return np.append(False, run.seen(name)[:, 0])


def insertion_place(run: Ours) -> np.ndarray:
    """[states, N] the node that stood where the next number was inserted."""
    inserted = new(run["inserted"]).argmax(1)
    at = np.take_along_axis(run["place"], inserted[:, None], 1)
    return mark_at(np.take_along_axis(earlier(_order(run)), at, 1)[:, 0], run.n)


# ---- partition


def _front(run: Ours) -> np.ndarray:
    """[states] where the part of small numbers ends after the step."""
    return _before(run, "front") + _step(run, "swaps")


def front(run: Ours) -> np.ndarray:
    """[states, N] the node where the part of small numbers ends."""
    return _standing_at(run, _front(run))


def scanned(run: Ours) -> np.ndarray:
    """[states, N] the node that was looked at; at the end of a part, its last."""
    last, current = _before(run, "high"), _before(run, "current")
    return _standing_at(run, np.where(_step(run, "closes"), last, current))


def pivot(run: Ours) -> np.ndarray:
    """[states, N] the node by which a part is split."""
    return _standing_at(run, np.where(_step(run, "closes"), _front(run), _before(run, "high")))


def rank_of_front(run: Ours) -> np.ndarray:
    """[states] counted from the first place; at the end of a part, from its first."""
    low = np.where(_step(run, "closes"), _before(run, "low"), 0)
    return (_front(run) - low) / run.n


def rank_in_part(run: Ours) -> np.ndarray:
    """[states] the rank that is looked for, counted from the first place of the part."""
    return (int(run.given("rank")[0]) - _before(run, "low")) / run.n


# ---- heaps


def heap(run: Ours) -> np.ndarray:
    """[states, N] which node is above a node of the heap; all others have themselves."""
    order = _order(run)
    above = np.tile(np.arange(run.n), (len(order), 1))
    for step, size in enumerate(run["size"][:, 0]):
        inside = np.arange(1, size)
        above[step, order[step, inside]] = order[step, (inside - 1) // 2]
    return above


def _phase(run: Ours) -> np.ndarray:
    """[states] 0: a heap is built; 1: its first number is taken; 2: a number sinks."""
    building = np.where(_before(run, "builds"), 0, 2)
    return np.where(_before(run, "is_extracting"), 1, building)


def phase_of_heap(run: Ours) -> np.ndarray:
    """[states, 3] what a step does."""
    return mark_at(_phase(run), 3)


def outer(run: Ours) -> np.ndarray:
    """[states, N] the node that the outer loop has come to."""
    places = _of_begun(run, _before(run, "outer"))
    return _standing_at(run, np.where(_phase(run) == 1, 0, places))


def sinking(run: Ours) -> np.ndarray:
    """[states, N] the node where a number sinks, or whose number is taken."""
    places = np.where(_phase(run) == 1, _before(run, "outer"), _before(run, "here"))
    return _standing_at(run, _of_begun(run, places))


def largest(run: Ours) -> np.ndarray:
    """[states, N] where the number sank to; where one was taken, CLRS has node 0."""
    rises, here = run.seen("rises"), run["here"][:-1, 0]
    risen = np.where(rises.any(1), (rises * run["place"][:-1]).sum(1), here)
    marks = _standing_at(run, _of_begun(run, np.append(0, risen)))
    marks[_phase(run) == 1] = mark_at(np.array(0), run.n)
    return marks


def last_of_heap(run: Ours) -> np.ndarray:
    """[states, N] the last node of the heap."""
    return _standing_at(run, run["size"][:, 0] - 1)


def _of_begun(run: Ours, places: np.ndarray) -> np.ndarray:
    """Places, which are the last one in the first state that CLRS has."""
    return np.where(np.arange(len(places)) < 2, run.n - 1, places)
