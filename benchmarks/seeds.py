"""How a preset trains for each of many seeds alone, on validation graphs only: no test set is
looked at.

python -m benchmarks.seeds bfs --seeds 0-9 --jobs 2 --out results/pages/seeds-bfs.json --page
results/pages/choices.md

writes what the validations say as JSON, anew after every seed, and at the end a table of it into
the page, or onto the screen. Repeated, the command trains the seeds that are missing.
`--set` and `--epochs` try another schedule; `--first` trains only its first epochs, at
the rates that they have in all of it:

python -m benchmarks.seeds bfs --seeds 0-9 --first 50 --set beta2=0.95 --set smoothing=0.1
--out candidate.json

`--run` reads the history of a run that `algolens train` has left, in the place of training its
seeds again:

python -m benchmarks.seeds bfs --run runs/seed-0 --run runs/seed-1 --out seeds-bfs.json
"""

from __future__ import annotations

import csv
import json
import shlex
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from msgspec import to_builtins
from rich.console import Console

from algolens.algorithms import algorithm as find
from algolens.cli.options import read_numbers, read_settings
from algolens.disk import write_file
from algolens.errors import AlgoLensError
from algolens.evaluation import METRICS, Scores
from algolens.experiment.config import make_experiment
from algolens.experiment.model import versions
from algolens.experiment.train import device_name, find_device
from algolens.processes import Ended, Say, find_workers
from algolens.records import Experiment
from algolens.reproduction.plan import plan_differences
from algolens.training import Epoch, Fit
from benchmarks.options import ClusterOption, SetOption
from benchmarks.pages import PageOption, show_section

ACCURACIES = {
    "mean_step": "mean-step",
    "last_step": "last-step",
    "termination": "termination",
    "concepts_mean_step": "concepts, mean-step",
    "graphs_right": "graphs right in everything",
}


@dataclass(frozen=True)
class Seed:
    """How one seed trained, as its validations tell."""

    seed: int
    first_right: int | None  # the epoch of the first validation that was right in everything
    right_from: int | None  # the first epoch from which every validation was, to the end
    wrong_after_right: int  # validations after the first right one that were not
    validations_after_right: int
    last: dict[str, float]  # the last validation, in percent
    selected_epoch: int
    selected_right: bool  # in everything, on validation
    seconds: float  # of the training; shared by seeds that train together
    # of every validation: its epoch, and the least of its accuracies in percent
    least: list[list[float]]


def main(
    algorithm: Annotated[str, typer.Argument(help="The algorithm: see `algolens list`.")],
    seeds: Annotated[str, typer.Option(help="As in `0-9`.")] = "0-9",
    preset_name: Annotated[str, typer.Option("--preset")] = "paper",
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Where not the preset's; the pruning epoch moves along."),
    ] = None,
    first: Annotated[
        int | None,
        typer.Option(min=1, help="Train no more than the first so many of these epochs."),
    ] = None,
    schedule: SetOption = None,
    data_seed: Annotated[int, typer.Option(help="Of the graphs to train and validate on.")] = 0,
    device: Annotated[str, typer.Option(help="`cpu`, `cuda` or `auto`.")] = "cpu",
    jobs: Annotated[int, typer.Option(min=1, help="Processes at a time, of one thread each.")] = 1,
    cluster: ClusterOption = None,
    together: Annotated[
        bool, typer.Option("--together", help="Train all seeds as one ensemble, not each alone.")
    ] = False,
    run: Annotated[
        list[Path] | None,
        typer.Option(help="A run whose history is read; then nothing is trained. May be repeated."),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The JSON file to write, and to go on from where it is there.")
    ] = Path("seeds.json"),
    page: PageOption = None,
) -> None:
    """Tabulate from which epoch on each seed is right in everything on validation, and whether it
    stays so.
    """
    experiment = make_experiment(
        find(algorithm),
        preset_name,
        seeds=read_numbers(seeds, "--seeds"),
        **read_settings(schedule, epochs=epochs),
    )
    experiment = replace(experiment, data_seed=data_seed)
    if run:
        for folder in run:
            record = _read(folder, experiment, out)
        show_section(page, out.stem, record.table())
        return
    chosen = find_device(device)
    experiment.data()  # made once, before several processes ask for it
    record = _Record(out, experiment, device_name(chosen), together, first)
    missing = [seed for seed in experiment.seeds if seed not in record.seeds]
    groups = (
        [experiment.seeds]
        if together and missing
        else []
        if together
        else [(seed,) for seed in missing]
    )
    console = Console(soft_wrap=True)
    console.print(
        f"{len(missing)} of {len(experiment.seeds)} seeds to train, into {out}.",
        highlight=False,
    )
    work = {
        f"seeds {','.join(map(str, group))}": (replace(experiment, seeds=group), str(chosen), first)
        for group in groups
    }
    workers = find_workers(jobs, cluster, gpus=int(chosen.type == "cuda"))
    for _, word in workers.messages(work, _train):
        if not isinstance(word, Ended):
            record.add(word)
            console.print(_told(word), highlight=False)
    show_section(page, out.stem, record.table())


def right_in_everything(scores: Scores) -> bool:
    """Every output, concept and stop of every step of every graph."""
    return scores.graphs_right == scores.selection() == 1


def seeds_of(experiment: Experiment, history: list[Epoch], selected: list[int]) -> list[Seed]:
    """What the epochs of a training say of each of its seeds."""
    validations = [(each.epoch, each.validation) for each in history if each.validation is not None]
    found = []
    for place, seed in enumerate(experiment.seeds):
        scores = {epoch: validation[place] for epoch, validation in validations}
        right = [epoch for epoch, each in scores.items() if right_in_everything(each)]
        wrong = [epoch for epoch, each in scores.items() if not right_in_everything(each)]
        last = to_builtins(scores[validations[-1][0]])
        found.append(
            Seed(
                seed=seed,
                first_right=right[0] if right else None,
                right_from=next((epoch for epoch in right if not wrong or epoch > wrong[-1]), None),
                wrong_after_right=sum(epoch > right[0] for epoch in wrong) if right else 0,
                validations_after_right=sum(epoch > right[0] for epoch in scores) if right else 0,
                last={name: 100 * last[name] for name in ACCURACIES if name in last},
                selected_epoch=selected[place],
                selected_right=selected[place] in right,
                seconds=round(history[-1].seconds, 1),
                least=[[epoch, round(100 * _least(each), 3)] for epoch, each in scores.items()],
            )
        )
    return found


def _read(folder: Path, wanted: Experiment, out: Path) -> _Record:
    """Adds the seeds of a run that is there to the record."""
    try:
        known = json.loads((folder / "experiment.json").read_text(encoding="utf-8"))
        rows = list(
            csv.DictReader((folder / "history.csv").read_text(encoding="utf-8").splitlines())
        )
    except OSError as problem:
        raise AlgoLensError(
            f"{folder} is not a run ({problem.strerror}: {problem.filename}); give a folder of one."
        ) from problem
    found, about = Experiment.from_json(known), known["about"]
    told = plan_differences(found, replace(wanted, seeds=found.seeds))
    if (found.algorithm, found.preset) != (wanted.algorithm, wanted.preset) or told:
        raise AlgoLensError(
            f"{folder} is another training "
            f"({'; '.join(told) or found.algorithm + '-' + found.preset})."
        )
    record = _Record(out, found, about["device"], len(found.seeds) > 1, None, about["versions"])
    for seed in seeds_of(found, history_of(rows), about["selected_epochs"]):
        record.add(seed)
    return record


def history_of(rows: list[dict[str, str]]) -> list[Epoch]:
    """The epochs of a run's history.csv, as far as the table needs them; accuracies there are in
    percent.
    """
    names = [metric.name for metric in METRICS if not metric.by_rules]
    by_epoch: dict[int, list[dict[str, str]]] = {}
    for row in rows:
        by_epoch.setdefault(int(row["epoch"]), []).append(row)
    history = []
    for epoch, each in by_epoch.items():
        told: list[dict[str, Any]] = [
            {
                name: float(row[f"validation_{name}"]) / 100
                if row.get(f"validation_{name}")
                else None
                for name in names
            }
            for row in each
        ]
        scores = (
            [Scores(graphs=0, **values) for values in told]
            if told[0]["mean_step"] is not None
            else None
        )
        history.append(Epoch(epoch, {}, scores, None, float(each[0]["seconds"])))
    return history


def _least(scores: Scores) -> float:
    parts = [getattr(scores, metric.name) for metric in METRICS if metric.selects]
    return min(part for part in parts if part is not None)


def _train(experiment: Experiment, device: str, first: int | None, say: Say) -> None:
    fit = Fit(
        experiment.data(),
        experiment.architecture,
        experiment.schedule,
        experiment.seeds,
        torch.device(device),
    )
    history = list(islice(fit, first))
    for each in seeds_of(experiment, history, fit.selection.epochs):
        say(each)


class _Record:
    """What the seeds did, on disk as JSON, written anew whenever a seed is added."""

    def __init__(
        self,
        path: Path,
        experiment: Experiment,
        device: str,
        together: bool,
        first: int | None,
        made_with: Mapping[str, str] | None = None,
    ) -> None:
        self.made_with = made_with or versions()
        self.path = path
        configuration = {
            key: value
            for key, value in experiment.to_json().items()
            if key not in ("seeds", "held_out")
        }
        self.what = {
            **json.loads(json.dumps(configuration)),
            "device": device,
            "first": first,
            "together": list(experiment.seeds) if together else False,
        }
        self.command = shlex.join(["python", "-m", "benchmarks.seeds", *sys.argv[1:]])
        self.seeds: dict[int, Seed] = {}
        if self.path.exists():
            there = json.loads(self.path.read_text(encoding="utf-8"))
            if {key: there.get(key) for key in self.what} != self.what:
                raise AlgoLensError(
                    f"{self.path} is of another schedule or device: give another file with --out, "
                    "or delete it."
                )
            self.seeds = {each["seed"]: Seed(**each) for each in there["seeds"]}

    def add(self, seed: Seed) -> None:
        """One more seed, and the file anew."""
        self.seeds = dict(sorted([*self.seeds.items(), (seed.seed, seed)]))
        rows = list(self.seeds.values())
        document = {
            **self.what,
            "command": self.command,
            "versions": self.made_with,
            "seeds": [asdict(each) for each in rows],
        }
        write_file(self.path, json.dumps(document, indent=1) + "\n")

    def table(self) -> str:
        """The section of a page: a row for each seed."""
        rows = list(self.seeds.values())
        known = [name for name in ACCURACIES if name in rows[0].last]
        accuracies = [name for name in known if any(each.last[name] < 100 for each in rows)]
        perfect = ", ".join(ACCURACIES[name] for name in known if name not in accuracies)
        head = [
            "seed",
            "first right",
            "right from … to the end",
            "wrong validations after the first right one",
            "selected epoch",
        ]
        head += [f"last validation: {ACCURACIES[name]}" for name in accuracies]
        steady = sum(each.right_from is not None for each in rows)
        schedule = ", ".join(
            f"{key} {value}"
            for key, value in self.what["schedule"].items()
            if value not in (None, {})
        )
        stopped = (
            f", of which the first {self.what['first']} epochs were trained"
            if self.what["first"]
            else ""
        )
        company = "all together" if self.what["together"] else "each alone"
        lines = [
            (
                f"### {find(self.what['algorithm']).title}, preset `{self.what['preset']}`: "
                f"{len(rows)} seeds, "
                f"{company} on {self.what['device']}"
            ),
            "",
            f"Made by `{self.command}`.",
            "",
            (
                "A validation is right where every output, concept and stop of every step of every "
                "graph is. No test graph was looked at."
            ),
            "",
            f"Schedule: {schedule}{stopped}; data seed {self.what['data_seed']}.",
            "",
            f"Right in everything to the end: {steady} of {len(rows)} seeds."
            + (f" 100.00 % in the last validation of every seed: {perfect}." if perfect else ""),
            "",
            f"| {' | '.join(head)} |",
            f"|{'---:|' * len(head)}",
            *(f"| {' | '.join(self._cells(each, accuracies))} |" for each in rows),
        ]
        return "\n".join(lines) + "\n"

    @staticmethod
    def _cells(seed: Seed, accuracies: list[str]) -> list[str]:
        epochs = [
            "never" if epoch is None else str(epoch)
            for epoch in (seed.first_right, seed.right_from)
        ]
        wrong = f"{seed.wrong_after_right} of {seed.validations_after_right}"
        selected = f"{seed.selected_epoch}{'' if seed.selected_right else ' (not right)'}"
        return [
            str(seed.seed),
            *epochs,
            wrong,
            selected,
            *(f"{seed.last[name]:.2f}" for name in accuracies),
        ]


def _told(seed: Seed) -> str:
    last = ", ".join(f"{ACCURACIES[name]} {value:.2f}" for name, value in seed.last.items())
    right = (
        "is not right at the end"
        if seed.right_from is None
        else f"is right from epoch {seed.right_from} on"
    )
    return (
        f"seed {seed.seed} {right} (first at {seed.first_right}; {seed.seconds:.0f} s). Last "
        f"validation: {last}"
    )


if __name__ == "__main__":
    try:
        typer.run(main)
    except AlgoLensError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
