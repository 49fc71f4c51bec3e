"""What happens while BFS's network learns when to stop, epoch by epoch: where PrediNet attends, and
what its loss still moves.

python -m benchmarks.plateau --seed 2 --data-seed 1
python -m benchmarks.plateau --seed 2 --data-seed 1 --set beta2=0.999 --set clip=0 \
    --set weight_decay=0 --set smoothing=0

Of the looks at graphs that have both, it tells how much attention goes to nodes about to be visited
and to those that are farther away: only the first are a reason to go on. Then the norms of the
gradient of the termination loss, by part of the network.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any

import torch
import typer
from rich.console import Console
from rich.table import Table
from torch import Tensor

from algolens.algorithms import algorithm
from algolens.cli.options import read_settings
from algolens.errors import AlgoLensError
from algolens.experiment.config import make_experiment
from algolens.language.fields import Mask
from algolens.models.layers import Termination
from algolens.models.recurrent import Recurrent
from algolens.training import Fit
from algolens.training.fit import TraceTeacher
from benchmarks.options import SetOption

FAR = 10**6  # an epoch that no training has: its first batch is looked at


def main(
    seed: Annotated[int, typer.Option()] = 0,
    data_seed: Annotated[int, typer.Option(help="Of the graphs to train and validate on.")] = 0,
    epochs: Annotated[
        int, typer.Option(min=1, help="How many of the schedule's epochs are trained.")
    ] = 12,
    schedule: SetOption = None,
) -> None:
    """Tabulate an epoch a row, on one core."""
    torch.set_num_threads(1)
    settings = read_settings(schedule)
    experiment = make_experiment(algorithm("bfs"), "paper", seeds=(seed,), **settings)
    experiment = replace(experiment, data_seed=data_seed)
    fit = Fit(
        experiment.data(),
        experiment.architecture,
        experiment.schedule,
        (seed,),
        torch.device("cpu"),
    )
    norms: list[float] = []
    step = fit.teacher.step
    step.adam.register_step_pre_hook(lambda *_: norms.append(_norm(step.parameters)))

    columns = (
        "epoch",
        "concept loss",
        "termination loss",
        "largest gradient",
        "stops right, %",
        "attention: about to be visited",
    )
    table = Table(
        *columns, "farther away", "gradient: queries and keys", "PrediNet's rest", "processor"
    )
    for epoch in islice(fit, epochs):
        assert epoch.validation is not None
        row = [f"{epoch.losses[name][0]:.4f}" for name in ("concepts", "termination")]
        row += [f"{max(norms):.2g}", f"{100 * (epoch.validation[0].termination or 0):.2f}"]
        table.add_row(str(epoch.epoch), *row, *_looked_at(fit))
        norms.clear()
    Console(width=160).print(table)


def _looked_at(fit: Fit) -> list[str]:
    """Attention and gradients on one batch of training graphs."""
    assert isinstance(fit.teacher, TraceTeacher)
    network, lessons = fit.network, fit.teacher.lessons
    perceiver, stopping = network.perceiver, network.termination
    assert isinstance(perceiver, Recurrent)
    assert isinstance(stopping, Termination)
    seen: dict[str, Any] = {}
    recur = perceiver.recur

    def remembering(*given: Any) -> Any:
        processed = recur(*given)
        seen.setdefault("processed", processed)  # the first: looks at true states
        return processed

    perceiver.recur = remembering  # type: ignore[assignment, method-assign]
    hook = stopping.register_forward_pre_hook(
        lambda _, given: seen.update(latent=given[0], members=given[1])
    )
    batch = fit.teacher.batches(FAR)[0]
    taught = lessons.teach(
        network, torch.tensor(batch), [lessons.lengths[graph] for graph in batch]
    )
    hook.remove()
    del perceiver.recur

    nodes = seen["latent"].view(1, *seen["members"], -1)
    with torch.no_grad():
        ahead = (
            perceiver.head(seen["processed"])[0, -seen["latent"].shape[1] :].view(
                *seen["members"], -1
            )
            > 0
        )
        visited, reached = ahead.unbind(-1)
        next_ones, farther = reached & ~visited, ~reached & ~visited
        queries = stopping.queries(nodes.amax(2)).view(1, nodes.shape[1], 2, -1)
        attention = (queries @ stopping.key.weight.mT @ nodes.mT).softmax(-1)[0]  # [G, 2, n]
    both = next_ones.any(1) & farther.any(1)
    # of the keener query
    shares = [
        (attention * kind[:, None]).sum(-1)[both].amax(1).mean() for kind in (next_ones, farther)
    ]

    assert taught.goes_on is not None
    logits, truth = taught.goes_on
    network.zero_grad()
    Mask().loss(logits[0], truth, smoothing=fit.schedule.smoothing).mean().backward()
    asking = [stopping.queries, stopping.key]
    rest = [stopping.relate, stopping.output, stopping.decide]
    parts = [
        [each for part in group for each in part.parameters()]
        for group in (asking, rest, [perceiver.processor])
    ]
    gradients = [_norm(part) for part in parts]
    network.zero_grad()
    return [*(f"{float(share):.3f}" for share in shares), *(f"{each:.2g}" for each in gradients)]


def _norm(parameters: Iterable[Tensor]) -> float:
    """Of their gradient, together."""
    return float(
        torch.nn.utils.get_total_norm([each.grad for each in parameters if each.grad is not None])
    )


if __name__ == "__main__":
    try:
        typer.run(main)
    except AlgoLensError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
