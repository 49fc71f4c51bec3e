"""Spark, on a cluster that is there or on this machine.

Tables between steps are kept by the workers, in memory or on their disks; where a worker is lost,
Spark computes its part again from the last checkpoint. Checkpoints are Parquet, in a folder that
all workers see.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algolens.engines.engine import Engine, Tables, fresh_names, missing

SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dataclass(frozen=True)
class Spark(Engine):
    """Spark.

    Attributes
    ----------
    master : str
        The cluster, as "spark://host:7077"; unless given, this machine.
    folder : str, optional
        For tables and checkpoints, which all workers must see; unless given, a temporary folder.
    every : int
        A checkpoint after so many steps.
    partitions : int, optional
        Into how many parts tables are shuffled; unless given, twice the cores of the cluster.
    """

    name = "spark"
    called = "Spark"

    master: str = "local[*]"
    folder: str | None = None
    every: int = 5
    partitions: int | None = None

    @contextmanager
    def opened(self) -> Iterator[Tables]:
        """A session of its own, or the one that is there."""
        try:
            from pyspark.sql import SparkSession
        except ImportError as problem:
            raise missing(self.called, self.name) from problem
        there = SparkSession.getActiveSession()
        if there is None:
            builder = SparkSession.builder.master(self.master).appName("algolens")
            for key, value in SETTINGS.items():
                builder = builder.config(key, value)
            own = builder.getOrCreate()
            own.sparkContext.setLogLevel("ERROR")
        session = own if there is None else there.newSession()
        cores = session.sparkContext.defaultParallelism
        for key, value in SETTINGS.items():
            if key.startswith("spark.sql."):
                session.conf.set(key, value)
        session.conf.set("spark.sql.shuffle.partitions", str(self.partitions or 2 * cores))
        folder = Path(tempfile.mkdtemp(prefix="algolens-", dir=self.folder))
        try:
            yield _SparkTables(session, folder, self.every)
        finally:
            if there is None:
                session.stop()
            shutil.rmtree(folder, ignore_errors=True)


class _SparkTables(Tables):
    def __init__(self, session: Any, folder: Path, every: int) -> None:
        self.session, self.folder, self.every = session, folder, every
        self.frames: dict[str, Any] = {}
        self.since: set[str] = set()  # tables that were made since the last checkpoint
        self.names = fresh_names("table")
        self.written: dict[str, Path] = {}  # the last checkpoint of a table

    def load(self, name: str, columns: Mapping[str, Any]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        path = self.folder / f"{next(self.names)}.parquet"
        parquet.write_table(pa.table(dict(columns)), path)
        self._put(name, self.session.read.parquet(str(path)))

    def open_parquet(self, name: str, path: Path) -> dict[str, str]:
        frame = self.session.read.parquet(str(path))
        self._put(name, frame)
        return dict(frame.dtypes)

    def make(self, queries: Mapping[str, str]) -> None:
        from pyspark import StorageLevel

        made = {}
        for name, query in queries.items():
            made[name] = self._alone(self.session.sql(query)).persist(StorageLevel.MEMORY_AND_DISK)
            made[name].count()  # which computes it, so that its size is known to what reads it
        for name, frame in made.items():
            self._put(name, frame)
        self.since |= set(made)

    def _alone(self, frame: Any) -> Any:
        """The same rows without the plan that led to them, which would grow with every step."""
        from pyspark.sql import DataFrame

        java = self.session._jsparkSession
        rows = java.createDataFrame(frame._jdf.toJavaRDD(), frame._jdf.schema())
        return DataFrame(rows, self.session)

    def _put(self, name: str, frame: Any) -> None:
        old = self.frames.get(name)
        self.frames[name] = frame
        frame.createOrReplaceTempView(name)
        if old is not None:
            old.unpersist()

    def rest(self, step: int) -> None:
        if step % self.every:
            return
        # all that was made since the last one is written, so nothing reads the last one any more
        for name in sorted(self.since):
            path = self.folder / next(self.names)
            self.frames[name].write.parquet(str(path))
            self._put(name, self.session.read.parquet(str(path)))
            if name in self.written:
                shutil.rmtree(self.written[name], ignore_errors=True)
            self.written[name] = path
        self.since.clear()

    def drop(self, name: str) -> None:
        self.session.catalog.dropTempView(name)
        self.frames.pop(name).unpersist()
        self.since.discard(name)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.session.sql(query).collect()]

    def columns(self, query: str) -> dict[str, Any]:
        table = self.session.sql(query).toArrow()
        return {name: table[name].to_numpy() for name in table.column_names}

    def write_parquet(self, query: str, path: Path) -> None:
        self.session.sql(query).write.mode("overwrite").parquet(str(path))
