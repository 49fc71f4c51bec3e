"""Training: the objective, the schedule, teachers by traces and by stars, and the fit of these."""

from algolens.training.checkpoint import Checkpoint
from algolens.training.fit import Epoch, Fit
from algolens.training.schedule import Schedule

__all__ = ["Checkpoint", "Epoch", "Fit", "Schedule"]
