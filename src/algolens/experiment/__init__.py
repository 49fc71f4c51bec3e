"""Experiments: frozen records, the presets, and runs on disk."""

from algolens.experiment.certificates import certificates_json
from algolens.experiment.check import check, objection, objections
from algolens.experiment.config import Experiment
from algolens.experiment.departures import departures_of
from algolens.experiment.folder import (
    TrainedRun,
    load_run,
    save_certificates,
    save_declaration,
    save_programs,
    save_run,
)
from algolens.experiment.gathering import gather_runs
from algolens.experiment.pictures import leave_curves
from algolens.experiment.place import Place, claim
from algolens.experiment.presets import preset
from algolens.experiment.programs import extract_all
from algolens.experiment.reproduce import ReproductionPlan, carry_out, complete, gather, make_plan
from algolens.experiment.scores import run_scores
from algolens.experiment.shipped import SHIPPED, shipped_folder, shipped_names
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
    "ReproductionPlan",
    "Trained",
    "TrainedRun",
    "carry_out",
    "certificates_json",
    "check",
    "claim",
    "complete",
    "departures_of",
    "epochs_kept",
    "extract_all",
    "gather",
    "gather_runs",
    "learns_on",
    "leave_curves",
    "load_run",
    "make_plan",
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
