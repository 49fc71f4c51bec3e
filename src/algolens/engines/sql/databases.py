"""DuckDB in this process, and Spark on an existing cluster or on this machine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import count
from pathlib import Path
from typing import Any

from algolens.engines.sql.engine import Engine, Tables
from algolens.engines.sql_source import commands, in_quotes, sql_column
from algolens.errors import AlgoLensError, UnknownNameError, brief
from algolens.limits import ENGINE_NUMBER

SETTINGS = {  # of Spark
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dataclass(frozen=True)
class DuckDB(Engine):
    """DuckDB, embedded in this process; it spills to disk what does not fit into memory.

    Attributes
    ----------
    memory : str, optional
        Memory limit, such as "2GB"; DuckDB spills the rest to disk.
    threads : int, optional
        Number of threads; by default, one per core.
    """

    name = "duckdb"
    called = "DuckDB"

    memory: str | None = None
    threads: int | None = None

    @contextmanager
    def opened(self) -> Iterator[Tables]:
        """A database in memory."""
        try:
            import duckdb
        except ImportError as problem:
            raise self.missing() from problem
        self.check_folder()
        with (
            tempfile.TemporaryDirectory(prefix="algolens-", dir=self.folder) as folder,
            duckdb.connect(":memory:") as base,
        ):
            base.execute("SET preserve_insertion_order = false")
            base.execute(f"SET temp_directory = {in_quotes(folder)}")
            try:
                if self.memory is not None:
                    base.execute(f"SET memory_limit = {in_quotes(self.memory)}")
            except duckdb.Error as problem:
                raise AlgoLensError(
                    f"option memory of engine duckdb is '{self.memory}': give a size, as 2GB."
                ) from problem
            if self.threads is not None:
                base.execute(f"SET threads = {self.threads}")
            try:
                yield _DuckDBTables(base)
            except duckdb.OutOfMemoryException as problem:
                raise AlgoLensError(
                    f"DuckDB needs more memory than {self.memory or 'there is'}: give more, or "
                    "fewer threads (options memory and threads of the engine)."
                ) from problem
            except (duckdb.IOException, duckdb.InvalidInputException) as problem:
                raise AlgoLensError(
                    f"DuckDB cannot read or write ({brief(problem)}): give edges and nodes as "
                    "Parquet, and a place with room."
                ) from problem


class _DuckDBTables(Tables):
    row_number = "ROW_NUMBER() OVER ()"

    def __init__(self, base: Any) -> None:
        self.base = base

    def load(self, name: str, columns: Mapping[str, Any]) -> None:
        import pyarrow as pa

        self.base.register("given", pa.table(dict(columns)))
        self.base.execute(f"CREATE OR REPLACE TABLE {sql_column(name)} AS SELECT * FROM given")
        self.base.unregister("given")

    def open_parquet(self, name: str, path: Path) -> dict[str, str]:
        files = str(path / "**" / "*.parquet") if path.is_dir() else str(path)
        self.base.execute(
            f"CREATE OR REPLACE VIEW {sql_column(name)} AS SELECT * FROM "
            f"read_parquet({in_quotes(files)})"
        )
        return {row[0]: row[1].lower() for row in self.rows(f"DESCRIBE {sql_column(name)}")}

    def make(self, queries: Mapping[str, str]) -> None:
        for command in commands(queries):
            self.base.execute(command)

    def make_recursive(self, name: str, query: str) -> bool:
        from duckdb import OutOfMemoryException

        try:
            self.make({name: query})
        except OutOfMemoryException:  # what it has reached does not go to disk
            return False
        return True

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.base.execute(query).fetchall()

    def write_parquet(self, query: str, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        file = in_quotes(str(path / "part-0.parquet"))
        self.base.execute(f"COPY ({query}) TO {file} (FORMAT parquet)")


@dataclass(frozen=True)
class Spark(Engine):
    """Spark; all workers must see the folder of its tables.

    Attributes
    ----------
    master : str
        URL of the cluster, such as "spark://host:7077"; by default, this machine.
    partitions : int, optional
        Number of partitions in a shuffle; by default, twice the number of cores of the cluster.
    """

    name = "spark"
    called = "Spark"

    master: str = "local[*]"
    partitions: int | None = None

    @contextmanager
    def opened(self) -> Iterator[Tables]:
        """A new session, or the one already running."""
        try:
            from pyspark.sql import SparkSession
        except ImportError as problem:
            raise self.missing() from problem
        there = SparkSession.getActiveSession()
        master = there.sparkContext.master if there else self.master
        is_cluster = not master.startswith("local")
        if is_cluster and self.folder is None:
            raise AlgoLensError(
                f"Spark on {master} needs a folder that all workers see, for tables: give the "
                "option folder of the engine."
            )
        self.check_folder()
        if there is None:
            builder = SparkSession.builder.master(self.master).appName("algolens")
            for key, value in SETTINGS.items():
                builder = builder.config(key, value)
            own = builder.getOrCreate()
            own.sparkContext.setLogLevel("ERROR")
        session = own if there is None else there.newSession()
        for key, value in SETTINGS.items():
            if key.startswith("spark.sql."):
                session.conf.set(key, value)
        parts = self.partitions or 2 * session.sparkContext.defaultParallelism
        session.conf.set("spark.sql.shuffle.partitions", str(parts))
        folder = Path(tempfile.mkdtemp(prefix="algolens-", dir=self.folder))
        try:
            yield _SparkTables(session, folder, is_cluster)
        finally:
            if there is None:
                session.stop()
            shutil.rmtree(folder, ignore_errors=True)


class _SparkTables(Tables):
    """Every table is written as Parquet, and read back by the next queries.

    If a worker is lost, only its part of one query is computed again.
    """

    row_number = "MONOTONICALLY_INCREASING_ID()"

    def __init__(self, session: Any, folder: Path, is_cluster: bool) -> None:
        self.session, self.folder, self.is_cluster = session, folder, is_cluster
        self.written: dict[str, Path] = {}  # where a table is that was written here
        self.numbers = count(1)

    def _new(self) -> Path:
        return self.folder / f"table {next(self.numbers)}"

    def load(self, name: str, columns: Mapping[str, Any]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        path = self._new()
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
            path, frame = self._new(), self.session.sql(query)
            self._write(frame, path)
            made[name] = self.session.read.schema(frame.schema).parquet(str(path)), path
        for name, (frame, path) in made.items():
            self._put(name, frame, path)

    def _write(self, frame: Any, path: Path) -> None:
        """Write a table; raise if a worker sees a different folder under this path.

        Spark reports no error then, but rows written by such a worker are missing from the table.
        """
        if not self.is_cluster:
            frame.write.mode("overwrite").parquet(str(path))
            return
        from pyarrow import parquet
        from pyspark.sql import Observation
        from pyspark.sql.functions import count as number_of
        from pyspark.sql.functions import lit

        seen = Observation()
        frame = frame.observe(seen, number_of(lit(1)).alias("rows"))
        frame.write.mode("overwrite").parquet(str(path))
        rows = sum(parquet.read_metadata(file).num_rows for file in path.glob("*.parquet"))
        if rows != seen.get["rows"]:
            raise AlgoLensError(
                f"{path.parent} holds {rows} of the {seen.get['rows']} rows that workers wrote "
                "there: all workers must see that folder (--out, or option folder of the engine)."
            )

    def _put(self, name: str, frame: Any, path: Path | None = None) -> None:
        """Register a table under a name. path: its files, deleted when another table replaces it.

        Everything derived from the previous table is in files, so nothing still reads its files.
        """
        frame.createOrReplaceTempView(name)
        if name in self.written:
            shutil.rmtree(self.written.pop(name), ignore_errors=True)
        if path is not None:
            self.written[name] = path

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.session.sql(query).collect()]

    def write_parquet(self, query: str, path: Path) -> None:
        self._write(self.session.sql(query), path)


ENGINES: dict[str, type[Engine]] = {engine.name: engine for engine in (DuckDB, Spark)}


def find_engine(given: Engine | str, options: Mapping[str, str] | None = None) -> Engine:
    """Return the engine of this name, with options given as text."""
    if isinstance(given, Engine):
        return given
    if given not in ENGINES:
        raise UnknownNameError("engine", given, ENGINES)
    cls = ENGINES[given]
    read: dict[str, Any] = {}
    known = {field.name: str(field.type) for field in fields(cls)}
    for name, text in (options or {}).items():
        if name not in known:
            raise UnknownNameError(f"option of engine {given}", name, known)
        is_number = "int" in known[name]
        said = f"option {name} of engine {given}"
        read[name] = ENGINE_NUMBER.read(text, said) if is_number else text
    return cls(**read)
