"""Training: the objective, the schedule, its steps, what is selected, the fit of all these, and how
it is kept on disk.
"""

from algolens.training.checkpoint import Checkpoint, checkpoint_path, forget
from algolens.training.fit import Epoch, Fit
from algolens.training.schedule import Schedule

__all__ = ["Checkpoint", "Epoch", "Fit", "Schedule", "checkpoint_path", "forget"]
