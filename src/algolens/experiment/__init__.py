"""Experiments: frozen records, the presets, and runs on disk."""

from algolens.experiment.config import Experiment
from algolens.experiment.folder import TrainedRun, load_run, save_run
from algolens.experiment.presets import PRESETS, preset
from algolens.experiment.train import check, train

__all__ = ["PRESETS", "Experiment", "TrainedRun", "check", "load_run", "preset", "save_run", "train"]
