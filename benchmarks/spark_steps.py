"""What a step costs Spark on a small graph: queries, nodes of the largest plan, CPU seconds.

``python -m benchmarks.spark_steps``, with the extra ``spark`` and Java 17.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from rich.console import Console
from rich.table import Table

from algolens.algorithms import algorithm
from algolens.engines.program import Program
from algolens.engines.sql import find_engine, run_in_tables
from algolens.graphs import Graph

NAMES, NODES, STEPS = ("bfs_tree", "activity_selection"), 16, 8
MASTER = "local[2]"


class Watch:
    """What the session has done since it was last asked."""

    def __init__(self, session: Any) -> None:
        self.store = session._jsparkSession.sharedState().statusStore()
        self.bus = session.sparkContext._jsc.sc().listenerBus()
        self.java = int(session._jvm.java.lang.ProcessHandle.current().pid())
        self.last, self.began = -1, 0.0
        self.since()

    def since(self) -> tuple[int, int, float]:
        """Queries, nodes of the largest plan, CPU seconds of Java and Python."""
        self.bus.waitUntilEmpty()
        cpu = self._cpu() - self.began
        listed = self.store.executionsList()
        ids = [listed.apply(place).executionId() for place in range(listed.size())]
        new = [id_ for id_ in ids if id_ > self.last]
        largest = max((self.store.planGraph(id_).allNodes().size() for id_ in new), default=0)
        # making a view counts as a query too
        self.last, self.began = max(ids, default=-1), self._cpu()
        return len(new), largest, cpu

    def _cpu(self) -> float:
        words = Path(f"/proc/{self.java}/stat").read_text().rsplit(")", 1)[1].split()
        ticks = int(words[11]) + int(words[12])  # in user and in system mode
        return ticks / os.sysconf("SC_CLK_TCK") + time.process_time()


def main(console: Console, names: tuple[str, ...], nodes: int, steps: int) -> None:
    """Prints a row for each step; the first counts what is done before it, too."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false")
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    table = Table(title=f"Spark on {nodes} nodes, {MASTER}, one partition", title_justify="left")
    for column in ("algorithm", "step", "queries", "largest plan, nodes", "CPU s"):
        table.add_column(column, justify="right")
    watch = Watch(session)
    for name in names:
        chosen = algorithm(name)
        edges = sorted(nx.gnp_random_graph(nodes, 0.2, seed=4).edges)
        graph = Graph.pack([nodes], edges, directed=chosen.graphs == "directed")
        inputs = chosen.sample(graph, np.random.default_rng(1))

        def tell(step: int, _: float, name: str = name) -> None:
            queries, largest, cpu = watch.since()
            table.add_row(name, str(step), str(queries), str(largest), f"{cpu:.1f}")

        options = {"master": MASTER, "partitions": "1", "max_steps": str(steps)}
        watch.since()
        run_in_tables(
            find_engine("spark", options), Program.of(chosen), chosen, graph, inputs, tell
        )
    session.stop()
    console.print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--steps", type=int, default=STEPS)
    given = parser.parse_args()
    main(Console(width=100), tuple(given.names), given.nodes, given.steps)
