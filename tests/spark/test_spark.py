"""Programs on Spark: on this machine, and on a cluster of two workers of which one is killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.algorithms import algorithm, algorithms
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from algolens.engines.sql import find_engine, run_in_tables
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from tests.effort import covering
from tests.sql.parquet_graphs import as_result, read_results, write_graph

pytestmark = pytest.mark.skipif(
    "ALGOLENS_SPARK" not in os.environ, reason="it takes minutes: make test-spark"
)
pyspark = pytest.importorskip("pyspark", reason="the engine is Spark")

LOCAL = {"master": "local[2]", "partitions": "1"}
# algorithms that suit Spark, which run to their end
WHOLE = (
    "bellman_ford",
    "bfs",
    "bfs_tree",
    "boruvka",
    "coloring",
    "components",
    "k_core",
    "matching",
)
STEPS = 2  # of the others, that are compared: a step takes up to sixteen queries
# tables of five rows: what Spark does to be fast on large ones takes longer than they do, as code
# that is generated, and pages of up to 64 MB for every join and sum. A query on the cluster waits
# for both workers
DEFAULTS = """
spark.buffer.pageSize 1m
spark.cores.max 2
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.scheduler.maxRegisteredResourcesWaitingTime 180s
spark.scheduler.minRegisteredResourcesRatio 1
spark.sql.codegen.wholeStage false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.sql.ui.retainedExecutions 100
spark.ui.enabled false
spark.ui.showConsoleProgress false
"""


@pytest.fixture(scope="module", autouse=True)
def defaults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings for the Java process that all sessions of these tests share."""
    folder = tmp_path_factory.mktemp("conf")
    (folder / "spark-defaults.conf").write_text(DEFAULTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(folder))
        yield


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """One session for all runs on this machine."""
    from pyspark.sql import SparkSession

    there = SparkSession.builder.master(LOCAL["master"]).getOrCreate()
    yield there
    there.stop()


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("name", sorted({*WHOLE, *covering(algorithms())}))
def test_spark_takes_the_steps_of_the_library(name):
    chosen = algorithm(name)
    directed = chosen.graphs == "directed"
    graph = Graph.pack([5], nx.gnp_random_graph(5, 0.5, seed=4).edges, directed=directed)
    inputs = chosen.sample(graph, np.random.default_rng(1))
    most = int(chosen.max_steps(graph)[0]) if name in WHOLE else STEPS
    engine = find_engine("spark", {**LOCAL, "max_steps": str(most)})
    run = run_in_tables(engine, Program.of(chosen), chosen, graph, inputs)
    true = run_algorithm(chosen, graph, inputs)
    assert run.num_steps == min(true.num_steps, most)
    for output in chosen.declaration.outputs:
        assert run.final(output).tolist() == true[output][run.num_steps - 1].tolist()
    if true.num_steps <= most:
        assert {key: value.tolist() for key, value in run.outcomes.items()} == {
            key: value.tolist() for key, value in true.outcomes.items()
        }


def test_neither_plans_nor_files_grow_with_the_steps(session, tmp_path):
    """Spark describes every plan back to the tables that it reads from files."""
    chosen, graph = algorithm("activity_selection"), Graph.pack([16], [])
    inputs = chosen.sample(graph, np.random.default_rng(1))
    store = session._jsparkSession.sharedState().statusStore()
    bus = session.sparkContext._jsc.sc().listenerBus()
    largest, tables, last = [], [], -1

    def tell(_step: int, _seconds: float) -> None:
        nonlocal last
        bus.waitUntilEmpty()
        listed = store.executionsList()
        ids = [listed.apply(place).executionId() for place in range(listed.size())]
        largest.append(max(store.planGraph(id_).allNodes().size() for id_ in ids if id_ > last))
        tables.append(len(list(tmp_path.glob("*/table *"))))
        last = max(ids)

    engine = find_engine("spark", {**LOCAL, "max_steps": "5", "folder": str(tmp_path)})
    run_in_tables(engine, Program.of(chosen), chosen, graph, inputs, tell)
    assert len(largest) == 5
    assert max(largest[1:]) == largest[1] < 50
    assert len(set(tables)) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(("name", "as_text"), [("bfs_tree", True), ("boruvka", False)])
def test_parquet_in_and_out_says_what_the_library_says(name, as_text, tmp_path):
    graph, given = write_graph(tmp_path, algorithm(name), as_text=as_text, seed=2)
    run = al.execute_parquet(
        name,
        tmp_path / "edges.parquet",
        tmp_path / "out",
        engine=find_engine("spark", LOCAL),
        nodes=tmp_path / "nodes.parquet",
        directed=graph.is_directed(),
        **given,
    )
    true = al.execute(name, graph, **given)
    assert (run.steps, run.outcomes) == (true.steps, true.outcomes)
    assert read_results(tmp_path / "out", algorithm(name)) == as_result(true)


@pytest.mark.usefixtures("session")
def test_tables_that_cannot_be_read_are_refused_in_one_line(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"from": [1], "to": [2]}), tmp_path / "edges.parquet")
    with pytest.raises(AlgoLensError, match="has no column 'source'; it has from, to") as problem:
        al.execute_parquet("bfs", tmp_path / "edges.parquet", tmp_path / "out", engine="spark")
    assert "\n" not in str(problem.value)


# runs a command to which a folder is an empty one of its own
UNSHARED = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"']


class Cluster:
    """A master and two workers, each in a process group of its own.

    hidden: a folder that is another one to the second worker.
    """

    def __init__(self, folder: Path, hidden: Path | None = None) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.master, self.folder = f"spark://127.0.0.1:{port}", folder
        self.processes = [self._start("master.Master", "--port", str(port))]
        for before in ([], [*UNSHARED, str(hidden)] if hidden else []):
            options = ["--cores", "1", "--memory", "1g", self.master]
            self.processes.append(self._start("worker.Worker", *options, before=before))
        self._wait_for(2)

    def _start(
        self, which: str, *options: str, before: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        home = Path(pyspark.__file__).parent
        log = (self.folder / f"{which}-{len(list(self.folder.iterdir()))}.log").open("wb")
        return subprocess.Popen(
            [
                *before,
                str(home / "bin" / "spark-class"),
                f"org.apache.spark.deploy.{which}",
                "--host",
                "127.0.0.1",
                "--webui-port",
                "0",
                *options,
            ],
            stdout=log,
            stderr=log,
            env={**os.environ, "SPARK_HOME": str(home), "SPARK_WORKER_DIR": str(self.folder)},
            start_new_session=True,
        )

    def _wait_for(self, workers: int) -> None:
        until = time.monotonic() + 180
        while time.monotonic() < until:
            said = b"".join(path.read_bytes() for path in self.folder.glob("worker.Worker-*.log"))
            if said.count(b"Successfully registered with master") >= workers:
                return
            time.sleep(1)
        raise TimeoutError("the workers did not come up")

    def kill_worker(self) -> None:
        """Kills a worker, and what it runs."""
        os.killpg(self.processes.pop().pid, signal.SIGKILL)

    def close(self) -> None:
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def without_session() -> None:
    """Ends the session of the other tests, which is on this machine."""
    from pyspark.sql import SparkSession

    there = SparkSession.getActiveSession()
    if there is not None:
        there.stop()


@pytest.mark.usefixtures("without_session")
def test_a_folder_that_a_worker_does_not_see_is_refused(tmp_path):
    if subprocess.run([*UNSHARED, str(tmp_path), "true"], capture_output=True).returncode:
        pytest.skip("a folder cannot be hidden from a process here")
    (tmp_path / "cluster").mkdir()
    (tmp_path / "tables").mkdir()
    cluster = Cluster(tmp_path / "cluster", hidden=tmp_path / "tables")
    engine = al.Spark(master=cluster.master, folder=str(tmp_path / "tables"))
    try:
        with (
            engine.opened() as tables,
            pytest.raises(AlgoLensError, match="of the 1000 rows that workers wrote there: all"),
        ):
            tables.make({"numbers": "SELECT id FROM range(0, 1000, 1, 8)"})
    finally:
        cluster.close()


@pytest.mark.usefixtures("without_session")
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(tmp_path):
    """Tables are in files that both workers see; what the dead one was at is computed again."""
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster")
    steps = []

    def tell(step: int, _: float) -> None:
        steps.append(step)
        if step == 3:
            cluster.kill_worker()

    chosen, graph = algorithm("bfs_tree"), nx.path_graph(8)
    graph = nx.disjoint_union(graph, nx.gnm_random_graph(200, 600, seed=1))
    graph.add_edge(7, 8)
    packed = Graph.pack([len(graph)], sorted(graph.edges))
    inputs = {"source": np.array([0])}
    try:
        run = run_in_tables(
            al.Spark(master=cluster.master, folder=str(tmp_path), partitions=4),
            Program.of(chosen),
            chosen,
            packed,
            inputs,
            tell,
        )
    finally:
        cluster.close()
    true = run_algorithm(chosen, packed, inputs)
    assert run.num_steps == true.num_steps == len(steps) > 5
    for output in chosen.declaration.outputs:
        assert run.final(output).tolist() == true.final(output).tolist()
