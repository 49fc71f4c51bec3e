"""Where texts beside nodes stand, so that they lie on no edge, no node and no other text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Places = Mapping[int, tuple[float, float]]
# below, above, right, left, then between: of equally good ones, the first counts
ANGLES = np.deg2rad([-90, 90, 0, 180, -45, -135, 45, 135])
DIRECTIONS = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1)  # [8, 2]


def label_places(
    places: Places, edges: Sequence[Sequence[int]], labelled: Sequence[int], distance: float
) -> list[tuple[float, float]]:
    """A place for the text of each of some nodes, one after the other, each where most room is.

    Parameters
    ----------
    places
        Of the nodes.
    edges
        Pairs of nodes. What is written in the middle of an edge is kept clear of, too.
    labelled
        The nodes that have a text; one may have several.
    distance
        From the middle of a node to the middle of its text.
    """
    points = np.array([places[node] for node in sorted(places)], dtype=float)  # [N, 2]
    ends = np.array([pair for pair in edges if pair[0] != pair[1]], dtype=int).reshape(-1, 2)
    middles = points[ends].mean(axis=1)
    taken = np.concatenate([points, middles])
    found: list[tuple[float, float]] = []
    for node in labelled:
        candidates = points[node] + distance * DIRECTIONS
        others = np.delete(taken, node, axis=0)
        apart = candidates[:, None] - others[None]
        room = np.abs(apart).max(axis=2).min(axis=1, initial=distance)
        incident = ends[(ends == node).any(axis=1)]
        away = points[np.where(incident[:, 0] == node, incident[:, 1], incident[:, 0])]
        room = np.minimum(room, _clearance(points[node], away, distance))
        chosen = candidates[int((room.round(3)).argmax())]
        taken = np.concatenate([taken, chosen[None]])
        found.append((float(chosen[0]), float(chosen[1])))
    return found


def _clearance(
    middle: NDArray[np.float64], away: NDArray[np.float64], distance: float
) -> NDArray[np.float64]:
    """How far each candidate is from the edges that lead from a node to others. [8]"""
    rays = (away - middle) / np.maximum(np.linalg.norm(away - middle, axis=1, keepdims=True), 1e-9)
    along = DIRECTIONS @ rays.T  # [8, edges]: how far a candidate lies along an edge
    across = np.sqrt(np.clip(1 - along**2, 0, 1))
    room = distance * np.where(along > 0, across, 1.0)
    return np.asarray(room.min(axis=1, initial=distance))
