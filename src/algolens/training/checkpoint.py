"""Trainings kept on disk while they run, so that an interrupted one can be resumed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import convert, to_builtins
from safetensors import SafetensorError, safe_open
from safetensors.torch import load, save
from torch import Tensor

from algolens.arrays import sha256
from algolens.disk import write_file
from algolens.errors import AlgoLensError, ReadingError, brief
from algolens.models.weight_files import MOST_WEIGHTS
from algolens.reading import own_json, read_bytes, through_json
from algolens.training.fit import Epoch, Fit

EVERY = 10.0  # seconds between two writings, at least
MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # what Adam remembers of a weight, in its order
SUM = "sha256"  # under which it holds the SHA-256 of all else
KEY = "training"  # under which a file's header holds what is no tensor, as JSON


class Checkpoint:
    """The file that keeps a training: of one configuration, and whole at any time.

    Parameters
    ----------
    path
        The file, which need not exist yet.
    configuration
        What the training is of, as JSON holds it. A file of another configuration is refused.
    """

    def __init__(self, path: Path, configuration: Mapping[str, Any]) -> None:
        self.path = path
        self.configuration = through_json(configuration)
        self._written = time.monotonic()

    def epochs(self) -> int:
        """The epochs that are kept; 0 where nothing is."""
        return self._read()[1]["epoch"] if self.path.exists() else 0

    def resume(self, fit: Fit) -> list[Epoch]:
        """Take a training to where it was kept.

        Returns
        -------
        list of Epoch
            The epochs so far, none where nothing is kept.

        Raises
        ------
        AlgoLensError
            The file cannot be read, or keeps a training of another configuration.
        """
        if not self.path.exists():
            return []
        tensors, facts = self._read()
        try:
            _restore(fit, tensors, facts)
            return convert(facts["history"], list[Epoch])
        except (RuntimeError, ValueError, KeyError, TypeError) as problem:
            raise AlgoLensError(self._unreadable(problem)) from problem

    def keep(self, fit: Fit, history: Sequence[Epoch]) -> None:
        """Write the training at its end, and after a validation or a proof, but not too often."""
        examined = history[-1].validation is not None or history[-1].unproven is not None
        due = examined and time.monotonic() - self._written >= EVERY
        if not due and not fit.finished:
            return
        facts = {
            "epoch": fit.epoch,
            "right": fit.right,
            "seconds": fit.seconds,
            "best": fit.selection.merits,
            "recent": fit.selection.recent,
            "selected_epoch": fit.selection.epochs,
            "history": to_builtins(history),
            "configuration": self.configuration,
        }
        advice = "make room, and give the command again. It goes on from what was kept before"
        tensors, text = _tensors(fit), json.dumps(facts)
        header = {KEY: text, SUM: sha256(tensors, text)}
        write_file(self.path, save(tensors, header), advice, place=self.path)
        self._written = time.monotonic()

    def _read(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The tensors and all else of a file that keeps this training and no other."""
        try:
            tensors = load(read_bytes(self.path, MOST_WEIGHTS))
            with safe_open(self.path, "pt") as file:
                header = file.metadata()
            facts = own_json(header[KEY].encode(), str(self.path))
            if header[SUM] != sha256(tensors, header[KEY]):
                raise ReadingError("it was damaged: its SHA-256 is another")
            configuration = facts["configuration"]
        except (SafetensorError, OSError, ValueError, KeyError, TypeError) as problem:
            raise AlgoLensError(self._unreadable(problem)) from problem
        if configuration != self.configuration:
            other = "; ".join(_differences(configuration, self.configuration))
            raise AlgoLensError(
                f"{self.path} keeps an unfinished training of another kind: {other}. Finish that "
                "one, start anew (--overwrite, or delete it), or give another folder with --out."
            )
        return tensors, facts

    def _unreadable(self, problem: Exception) -> str:
        anew = "start anew (--overwrite, or delete it)"
        return f"{self.path} cannot be read ({brief(problem)}): {anew}."


def _tensors(fit: Fit) -> dict[str, Tensor]:
    """Everything that a training holds in tensors, by name."""
    tensors = {f"network.{name}": value for name, value in fit.network.state_dict().items()}
    for name, parameter in fit.network.named_parameters():
        # nothing of a weight that no gradient has reached
        remembered = fit.teacher.step.adam.state.get(parameter, {})
        tensors |= {f"adam.{what}.{name}": remembered[what] for what in MOMENTS if remembered}
    for place, weights in enumerate(fit.selection.weights):
        tensors |= {f"selected.{place}.{name}": value for name, value in weights.items()}
    tensors |= {f"lessons.{name}": value for name, value in fit.teacher.state().items()}
    # copies, for a file takes no two that share memory
    return {
        name: value.detach().to("cpu", copy=True).contiguous() for name, value in tensors.items()
    }


def _restore(fit: Fit, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """The reverse, on a training that has not begun."""

    def part(prefix: str) -> dict[str, Tensor]:
        return {
            name.removeprefix(prefix): value.to(fit.device)
            for name, value in tensors.items()
            if name.startswith(prefix)
        }

    fit.network.load_state_dict(part("network."))
    moments = {what: part(f"adam.{what}.") for what in MOMENTS}
    for name, parameter in fit.network.named_parameters():
        if name in moments["step"]:
            fit.teacher.step.adam.state[parameter] = {
                what: values[name] for what, values in moments.items()
            }
    selection = fit.selection
    selection.weights = [part(f"selected.{place}.") for place in range(len(selection.weights))]
    fit.teacher.resume(part("lessons."))
    fit.epoch, fit.right, fit.seconds = facts["epoch"], facts["right"], facts["seconds"]
    selection.merits, selection.recent = [tuple(merit) for merit in facts["best"]], facts["recent"]
    selection.epochs = list(facts["selected_epoch"])
    fit.examine()


def _differences(kept: Any, wanted: Any, name: str = "") -> Iterator[str]:
    """Setting by setting, in words."""
    if isinstance(kept, dict) and isinstance(wanted, dict):
        for key in {**kept, **wanted}:
            inner = f"{name}.{key}" if name else key
            yield from _differences(kept.get(key), wanted.get(key), inner)
    elif kept != wanted:
        yield f"{name} is {json.dumps(kept)} there, and {json.dumps(wanted)} here"
