"""What looking a second time costs when coloring is taught, and what could be saved of it.

``python -m benchmarks.second_looks [EPOCHS]`` trains coloring on the paper's set, on one core, with
one seed and with five, and prints after each epoch: CPU seconds; the share of rows (a node at a
step) that are wrong, that are wrong or have a wrong neighbour, so that a second look could find
something else than the first, and that are looked at a second time now, which are all of a graph
with a wrong node. Before it, the seconds of an epoch of plain PyTorch Geometric, and of one without
any second look: no way of looking less often can be faster than that, and its gradients are wrong.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import torch
from torch import Tensor

from algolens.algorithms import algorithm
from algolens.data import fixed
from algolens.models import Architecture
from algolens.models.recurrent import samples
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.training import Fit
from benchmarks.training import SEEDS, _epochs, _plain, _schedule

EPOCHS = 8


def main(epochs: int) -> None:
    """Prints the table."""
    torch.set_num_threads(1)
    sets, schedule = fixed(algorithm("coloring")), _schedule("coloring")
    plain = _plain(sets, schedule)
    print(f"plain PyTorch Geometric: {plain:.2f} s an epoch", flush=True)
    chosen, take = samples._chosen, Neighbourhoods.take
    for seeds in (1, SEEDS):
        numbers = tuple(range(seeds))

        def fit(numbers: tuple[int, ...] = numbers) -> Fit:
            return Fit(sets, Architecture(), schedule, numbers, torch.device("cpu"))

        samples._chosen = _nothing  # type: ignore[assignment]
        least = min(_epochs(fit(), 3, time.process_time)[1:]) / seeds
        print(
            f"{seeds} seeds, no second looks: {least:.3f} s, {plain / least:.1f} times", flush=True
        )
        counted = Counted(chosen, take)
        samples._chosen, Neighbourhoods.take = counted.chosen, counted.taking()  # type: ignore[method-assign]
        try:
            before = time.process_time()
            for epoch, _ in zip(range(1, epochs + 1), fit(), strict=False):
                took = (time.process_time() - before) / seeds
                print(
                    f"{seeds} seeds, epoch {epoch}: {took:.3f} s, {plain / took:.1f} times; rows "
                    f"{counted.told()}",
                    flush=True,
                )
                before = time.process_time()
        finally:
            samples._chosen, Neighbourhoods.take = chosen, take  # type: ignore[method-assign]


def _nothing(wrong: Tensor, graph: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    """Nothing is looked at a second time."""
    return graph[:0], wrong[:0].long()


class Counted:
    """Counts rows: all, the wrong, these and their neighbours, and those that are looked at."""

    def __init__(self, chosen: Any, take: Any) -> None:
        self._chosen, self._take = chosen, take
        self._wrong: Tensor | None = None  # of the rows that are about to be looked at
        self.counts = [0, 0, 0, 0]

    def chosen(
        self, wrong: Tensor, graph: Tensor, node_counts: Tensor, even: int | None
    ) -> tuple[Tensor, Tensor]:
        """As it is, counted."""
        pairs, again = self._chosen(wrong, graph, node_counts, even)
        self._wrong = wrong[again]
        for place, count in ((0, len(wrong)), (1, int(wrong.sum())), (3, len(again))):
            self.counts[place] += count
        return pairs, again

    def taking(self) -> Any:
        """As it is; of the table of a second look, those that a wrong node sends to are counted."""

        def take(table: Neighbourhoods, graphs: Tensor) -> Neighbourhoods:
            taken: Neighbourhoods = self._take(table, graphs)
            if self._wrong is not None and len(self._wrong) == taken.num_nodes:
                columns = self._wrong[taken.senders].any(0)
                reached = torch.zeros(taken.num_nodes, dtype=torch.bool)
                self.counts[2] += int(reached.index_fill_(0, taken.receivers[columns], True).sum())
                self._wrong = None
            return taken

        return take

    def told(self) -> str:
        """The shares since the last time."""
        total, *parts = self.counts
        self.counts = [0, 0, 0, 0]
        wrong, near, looked = (f"{100 * part / max(total, 1):.0f} %" for part in parts)
        return f"wrong {wrong}, or beside one {near}, looked at again {looked}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EPOCHS)
