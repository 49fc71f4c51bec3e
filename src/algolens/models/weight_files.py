"""Weights from files, which are data and run nothing."""

from __future__ import annotations

import io
from pathlib import Path
from pickle import UnpicklingError

import torch
from safetensors import SafetensorError
from safetensors.torch import load
from torch import Tensor

from algolens.errors import ReadingError, brief
from algolens.reading import read_bytes

MOST_WEIGHTS = 8 * 2**30  # bytes


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a file by name, which safetensors or ``torch.save`` wrote."""
    content = read_bytes(path, MOST_WEIGHTS)
    if path.suffix == ".safetensors":
        try:
            return load(content)
        except (SafetensorError, ValueError, KeyError) as problem:
            raise ReadingError(f"{path} cannot be read ({brief(problem)}).") from problem
    try:
        state = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except UnpicklingError:  # PyTorch would advise to run whatever the file holds
        state = None
    except (OSError, RuntimeError, ValueError, EOFError) as problem:
        raise ReadingError(f"{path} cannot be read ({brief(problem)}).") from problem
    if not isinstance(state, dict) or not all(isinstance(v, Tensor) for v in state.values()):
        raise ReadingError(
            f"{path} holds no weights by name: write module.state_dict() into it, by torch.save."
        )
    return state
