"""Experiments: frozen records, the presets, and runs on disk."""

from algolens.experiment.check import check_experiment, objections, training_objection
from algolens.experiment.config import Experiment
from algolens.experiment.folder import (
    SHIPPED,
    TrainedModel,
    load_model,
    save_certificates,
    save_declaration,
    save_model,
    save_rule_sets,
    shipped_folder,
    shipped_names,
)
from algolens.experiment.pictures import leave_curves
from algolens.experiment.place import Place, claim
from algolens.experiment.presets import preset
from algolens.experiment.run_files import certificates_json, extract_all
from algolens.experiment.scores import model_scores
from algolens.experiment.train import (
    Trained,
    epochs_kept,
    learns_on,
    side_by_side,
    train_into,
    train_networks,
    unfinished,
)
from algolens.protocol import PRESETS

__all__ = [
    "PRESETS",
    "SHIPPED",
    "Experiment",
    "Place",
    "Trained",
    "TrainedModel",
    "certificates_json",
    "check_experiment",
    "claim",
    "epochs_kept",
    "extract_all",
    "learns_on",
    "leave_curves",
    "load_model",
    "model_scores",
    "objections",
    "preset",
    "save_certificates",
    "save_declaration",
    "save_model",
    "save_rule_sets",
    "shipped_folder",
    "shipped_names",
    "side_by_side",
    "train_into",
    "train_networks",
    "training_objection",
    "unfinished",
]
