"""Experiments: frozen records, the presets, and runs on disk."""

from algolens.experiment.check import check, objection, objections
from algolens.experiment.config import Experiment
from algolens.experiment.folder import (
    SHIPPED,
    TrainedRun,
    load_run,
    save_certificates,
    save_declaration,
    save_programs,
    save_run,
    shipped_folder,
    shipped_names,
)
from algolens.experiment.pictures import leave_curves
from algolens.experiment.place import Place, claim
from algolens.experiment.presets import preset
from algolens.experiment.run_files import certificates_json, extract_all
from algolens.experiment.scores import run_scores
from algolens.experiment.train import (
    Trained,
    epochs_kept,
    learns_on,
    side_by_side,
    train,
    train_into,
    unfinished,
)
from algolens.protocol import PRESETS

__all__ = [
    "PRESETS",
    "SHIPPED",
    "Experiment",
    "Place",
    "Trained",
    "TrainedRun",
    "certificates_json",
    "check",
    "claim",
    "epochs_kept",
    "extract_all",
    "learns_on",
    "leave_curves",
    "load_run",
    "objection",
    "objections",
    "preset",
    "run_scores",
    "save_certificates",
    "save_declaration",
    "save_programs",
    "save_run",
    "shipped_folder",
    "shipped_names",
    "side_by_side",
    "train",
    "train_into",
    "unfinished",
]
