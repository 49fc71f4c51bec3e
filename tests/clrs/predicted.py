"""Predictions drawn at random, for scores of them that dm-clrs 2.0.3 gave."""

from __future__ import annotations

import numpy as np

from algolens.clrs.traces import Probe


def draw_predicted(probe: Probe, true: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """About half of it as it is, all else at random."""
    keep = rng.random(true.shape) < 0.5
    other = rng.integers(0, 16, true.shape) if "point" in probe.type else rng.random(true.shape)
    if probe.type in ("mask_one", "categorical"):  # whole rows are kept, lest all are as they are
        keep = np.broadcast_to(keep[..., :1], true.shape)
    return np.where(keep, true, other)
