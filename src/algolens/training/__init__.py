"""Training: samples, the objective, and the fit."""

from algolens.training.fit import Epoch, Fit, Schedule

__all__ = ["Epoch", "Fit", "Schedule"]
