"""Experiments: frozen records, the presets, and runs on disk."""

from algolens.experiment.config import Experiment
from algolens.experiment.folder import TrainedRun, load_run, save_certificate, save_run
from algolens.experiment.presets import PRESETS, preset
from algolens.experiment.programs import extract_all
from algolens.experiment.scores import run_scores
from algolens.experiment.shipped import shipped_folder, shipped_names
from algolens.experiment.train import Trained, check, side_by_side, train

__all__ = [
    "PRESETS",
    "Experiment",
    "Trained",
    "TrainedRun",
    "check",
    "extract_all",
    "load_run",
    "preset",
    "run_scores",
    "save_certificate",
    "save_run",
    "shipped_folder",
    "shipped_names",
    "side_by_side",
    "train",
]
