"""Experiments: frozen records, the presets, and models on disk."""

from algolens.algorithms import SHIPPED, shipped_folder, shipped_names
from algolens.experiment.config import (
    Experiment,
    check_experiment,
    make_experiment,
    objections,
    preset,
    training_objection,
)
from algolens.experiment.explain import (
    Account,
    Distilled,
    WhichCases,
    distil_into,
    explain_model,
    program_of_model,
)
from algolens.experiment.model import (
    Model,
    certificates_json,
    extract_all,
    load_model,
    save_certificates,
    save_declaration,
    save_fresh_scores,
    save_rule_sets,
)
from algolens.experiment.place import FILES, Place, claim, unchanged
from algolens.experiment.review import Review, review
from algolens.experiment.scores import TestSets, model_scores
from algolens.experiment.train import (
    epochs_kept,
    find_device,
    learns_on,
    leave_curves,
    side_by_side,
    total_epochs,
    train_into,
    train_networks,
    train_to_folder,
    unfinished,
)
from algolens.protocol import PRESETS

__all__ = [
    "FILES",
    "PRESETS",
    "SHIPPED",
    "Account",
    "Distilled",
    "Experiment",
    "Model",
    "Place",
    "Review",
    "TestSets",
    "WhichCases",
    "certificates_json",
    "check_experiment",
    "claim",
    "distil_into",
    "epochs_kept",
    "explain_model",
    "extract_all",
    "find_device",
    "learns_on",
    "leave_curves",
    "load_model",
    "make_experiment",
    "model_scores",
    "objections",
    "preset",
    "program_of_model",
    "review",
    "save_certificates",
    "save_declaration",
    "save_fresh_scores",
    "save_rule_sets",
    "shipped_folder",
    "shipped_names",
    "side_by_side",
    "total_epochs",
    "train_into",
    "train_networks",
    "train_to_folder",
    "training_objection",
    "unchanged",
    "unfinished",
]
