"""Spark, on a cluster that is there or on this machine.

Every table is written as Parquet, into a folder that all workers see, and read back by the next
queries. So where a worker is lost, no more is computed again than its part of one query.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algolens.engines.sql.engine import Engine, Tables, fresh_names, missing, refuse_missing_folder
from algolens.errors import AlgoLensError

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
        For tables, which all workers must see; unless given, a temporary folder.
    partitions : int, optional
        Into how many parts tables are shuffled; unless given, twice the cores of the cluster.
    """

    name = "spark"
    called = "Spark"

    master: str = "local[*]"
    folder: str | None = None
    partitions: int | None = None

    @contextmanager
    def opened(self) -> Iterator[Tables]:
        """A session of its own, or the one that is there."""
        try:
            from pyspark.sql import SparkSession
        except ImportError as problem:
            raise missing(self.called, self.name) from problem
        there = SparkSession.getActiveSession()
        master = there.sparkContext.master if there else self.master
        is_cluster = not master.startswith("local")
        if is_cluster and self.folder is None:
            raise AlgoLensError(
                f"Spark on {master} needs a folder that all workers see, for tables: give the "
                "option folder of the engine."
            )
        refuse_missing_folder(self, self.folder)
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
            yield _SparkTables(session, folder, is_cluster)
        finally:
            if there is None:
                session.stop()
            shutil.rmtree(folder, ignore_errors=True)


class _SparkTables(Tables):
    row_number = "MONOTONICALLY_INCREASING_ID()"

    def __init__(self, session: Any, folder: Path, is_cluster: bool) -> None:
        self.session, self.folder, self.is_cluster = session, folder, is_cluster
        self.written: dict[str, Path] = {}  # where a table is that was written here
        self.names = fresh_names("table")

    def load(self, name: str, columns: Mapping[str, Any]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        path = self.folder / next(self.names)
        path.mkdir()
        parquet.write_table(pa.table(dict(columns)), path / "part-0.parquet")
        self._put(name, self.session.read.parquet(str(path)), path)

    def open_parquet(self, name: str, path: Path) -> dict[str, str]:
        frame = self.session.read.parquet(str(path))
        self._put(name, frame)
        return dict(frame.dtypes)

    def make(self, queries: Mapping[str, str]) -> None:
        # a table is read back from its files, so that a plan goes no further back than they do:
        # Spark describes every plan, and follows tables in memory to the queries that made them
        made = {}
        for name, query in queries.items():
            path, frame = self.folder / next(self.names), self.session.sql(query)
            self._write(frame, path)
            made[name] = self.session.read.schema(frame.schema).parquet(str(path)), path
        for name, (frame, path) in made.items():
            self._put(name, frame, path)

    def _write(self, frame: Any, path: Path) -> None:
        """Writes a table; refuses a folder that is another one to a worker than it is here.

        Spark would not say so: what such a worker writes is missing from the table.
        """
        if not self.is_cluster:
            frame.write.mode("overwrite").parquet(str(path))
            return
        from pyarrow import parquet
        from pyspark.sql import Observation
        from pyspark.sql.functions import count, lit

        seen = Observation()
        frame = frame.observe(seen, count(lit(1)).alias("rows"))
        frame.write.mode("overwrite").parquet(str(path))
        rows = sum(parquet.read_metadata(file).num_rows for file in path.glob("*.parquet"))
        if rows != seen.get["rows"]:
            raise AlgoLensError(
                f"{path.parent} holds {rows} of the {seen.get['rows']} rows that workers wrote "
                "there: all workers must see that folder (--out, or option folder of the engine)."
            )

    def _put(self, name: str, frame: Any, path: Path | None = None) -> None:
        """The table of a name from now on. path: its files, which go when another takes its place.

        All that was made of the one before is in files, so nothing reads its files any more.
        """
        frame.createOrReplaceTempView(name)
        self._remove(name)
        if path is not None:
            self.written[name] = path

    def _remove(self, name: str) -> None:
        if name in self.written:
            shutil.rmtree(self.written.pop(name), ignore_errors=True)

    def drop(self, name: str) -> None:
        self.session.catalog.dropTempView(name)
        self._remove(name)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.session.sql(query).collect()]

    def columns(self, query: str) -> dict[str, Any]:
        table = self.session.sql(query).toArrow()
        return {name: table[name].to_numpy() for name in table.column_names}

    def write_parquet(self, query: str, path: Path) -> None:
        self._write(self.session.sql(query), path)
