"""Training: the objective, the fit, and how it is kept on disk."""

from algolens.training.checkpoint import Checkpoint
from algolens.training.fit import Epoch, Fit, Schedule

__all__ = ["Checkpoint", "Epoch", "Fit", "Schedule"]
