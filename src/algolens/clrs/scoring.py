"""Another model's predictions on CLRS's traces: CLRS's own score, beside how many graphs are right
in everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from algolens.clrs.traces import MASKED, STORED, Probe, Trace, probes_of, traces
from algolens.errors import AlgoLensError, UnknownNameError

ONE_OF = ("mask_one", "categorical")


@dataclass(frozen=True)
class ClrsScore:
    """Scores of predictions on CLRS's traces of one task and size."""

    task: str
    nodes: int
    graphs: int
    outputs: Mapping[str, float]  # by name, as CLRS scores it: a share, or of masks an F1
    # likewise; of numbers CLRS takes the mean square of errors, so that less is better
    hints: Mapping[str, float]
    micro_f1: float  # CLRS's score of the task: the mean over outputs
    # the share of graphs of which all that was predicted is right: each value, of hints at each
    # step
    graphs_right: float

    def to_json(self) -> dict[str, object]:
        """For machines."""
        return asdict(self)


def score_predictions(
    task: str,
    predictions: Sequence[Mapping[str, ArrayLike]],
    nodes: int = 16,
    folder: str | Path = STORED,
) -> ClrsScore:
    """Score a model's predictions on CLRS's traces.

    Parameters
    ----------
    task : str
        CLRS's name for the task.
    predictions : sequence of mapping
        For each trace of ``al.clrs.traces(task, nodes, folder)``, in order: arrays under CLRS's
        names, in the shapes of the trace. All outputs are required; hints are optional. A pointer
        is the index of a node. A mask is true above 0.5. For a ``mask_one`` or a category, the
        highest score counts.
    nodes : int
        Size of the graphs; stored traces have 16 or 64 nodes.
    folder : path
        Folder with further traces from `benchmarks/clrs_traces.py`.

    Returns
    -------
    ClrsScore

    Raises
    ------
    AlgoLensError
        If predictions are missing or have the wrong shape.

    Examples
    --------
    A model that predicts every node as its own parent:

    >>> import numpy as np
    >>> import algolens as al
    >>> lazy = [{"pi": np.arange(16)} for trace in al.clrs.traces("bfs", 16)]
    >>> scored = al.clrs.score_predictions("bfs", lazy, nodes=16)
    >>> round(scored.micro_f1, 3), scored.graphs_right
    (0.766, 0.5)
    """
    truths = traces(task, nodes, folder)
    wanted = {**probes_of(task, "output"), **probes_of(task, "hint")}
    given = _checked(task, truths, predictions, wanted)
    outputs = {
        name: _score(probe, [(values[name], trace.outputs[name]) for values, trace in given])
        for name, probe in probes_of(task, "output").items()
    }
    hints = {
        name: _score_over_time(
            probe, [(values[name], trace.hints[name]) for values, trace in given]
        )
        for name, probe in probes_of(task, "hint").items()
        if all(name in values for values, _ in given)
    }
    right = [
        all(_right(wanted[name], array, _true(trace, name)).all() for name, array in values.items())
        for values, trace in given
    ]
    mean = sum(outputs.values()) / len(outputs)
    return ClrsScore(task, nodes, len(given), outputs, hints, mean, sum(right) / len(right))


def _true(trace: Trace, name: str) -> np.ndarray:
    return trace.outputs[name] if name in trace.outputs else trace.hints[name]


def _checked(
    task: str,
    truths: Sequence[Trace],
    predictions: Sequence[Mapping[str, ArrayLike]],
    wanted: Mapping[str, Probe],
) -> list[tuple[dict[str, np.ndarray], Trace]]:
    """Predictions as arrays, each beside its trace; refused where they do not fit."""
    if len(predictions) != len(truths):
        raise AlgoLensError(
            f"{len(predictions)} predictions came for {len(truths)} traces of {task}: give one for "
            "each, in their order."
        )
    beside = []
    for place, (values, trace) in enumerate(zip(predictions, truths, strict=True)):
        if missing := [name for name in trace.outputs if name not in values]:
            raise AlgoLensError(
                f"prediction {place} of {task} lacks {', '.join(missing)}: give every output."
            )
        arrays = {name: np.asarray(array) for name, array in values.items()}
        for name, array in arrays.items():
            if name not in wanted:
                raise UnknownNameError(f"output or hint of {task}", name, list(wanted))
            if array.shape != _true(trace, name).shape:
                raise AlgoLensError(
                    f"{name} of prediction {place} of {task} has the shape {array.shape}: give "
                    f"{_true(trace, name).shape}, as the trace has it."
                )
        beside.append((arrays, trace))
    return beside


def _right(probe: Probe, predicted: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Which values are right; what CLRS masks is."""
    if probe.type in ONE_OF:
        masked = (true == MASKED).any(-1)
        return masked | (predicted.argmax(-1) == true.argmax(-1))
    if probe.type == "mask":
        return (true == MASKED) | ((predicted > 0.5) == (true > 0.5))
    return np.isclose(predicted, true) if probe.type == "scalar" else predicted == true


def _score(probe: Probe, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    """CLRS's score over all elements of all graphs."""
    if probe.type == "scalar":
        return _mean([(predicted - true) ** 2 for predicted, true in pairs])
    if probe.type != "mask":
        counted = [
            (true != MASKED).all(-1) if probe.type in ONE_OF else np.ones(true.shape, dtype=bool)
            for _, true in pairs
        ]
        right = [_right(probe, predicted, true) for predicted, true in pairs]
        return _mean([there[where] for there, where in zip(right, counted, strict=True)])
    said = _joined([predicted[true != MASKED] > 0.5 for predicted, true in pairs])
    holds = _joined([true[true != MASKED] > 0.5 for _, true in pairs])
    hits = (said & holds).sum()
    # as CLRS has it: where nothing is said, or nothing holds, that share is 1
    precision = hits / said.sum() if said.any() else 1.0
    recall = hits / holds.sum() if holds.any() else 1.0
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0


def _score_over_time(probe: Probe, pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    """CLRS's score of each step after the first, weighed by how many graphs take it."""
    scores, weights = [0.0], [0]
    for step in range(1, max(len(true) for _, true in pairs)):
        there = [(given[step], true[step]) for given, true in pairs if step < len(true)]
        scores.append(_score(probe, there))
        weights.append(len(there))
    return float(np.dot(scores, weights) / max(sum(weights), 1))


def _joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([array.reshape(-1) for array in arrays])


def _mean(arrays: Sequence[np.ndarray]) -> float:
    joined = _joined(arrays)
    return float(joined.mean()) if joined.size else 1.0
