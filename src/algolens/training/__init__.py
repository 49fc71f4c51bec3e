"""Training: the objective, the fit, and how it is kept on disk."""

from algolens.training.checkpoint import Checkpoint, checkpoint_path, forget
from algolens.training.fit import Epoch, Fit, Schedule

__all__ = ["Checkpoint", "Epoch", "Fit", "Schedule", "checkpoint_path", "forget"]
