"""DuckDB, in this process; what does not fit into memory goes to disk by its own means."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algolens.engines.sql.engine import Engine, Tables, missing, refuse_missing_folder
from algolens.engines.sql_select import in_quotes, sql_column
from algolens.engines.sql_source import commands
from algolens.errors import AlgoLensError, brief


@dataclass(frozen=True)
class DuckDB(Engine):
    """DuckDB, embedded.

    Attributes
    ----------
    memory : str, optional
        The most that it may hold in memory, as "2GB"; what is more goes to disk.
    threads : int, optional
        How many it may use; unless given, one for each core.
    folder : str, optional
        Where it may put what does not fit; unless given, a temporary folder.
    """

    name = "duckdb"
    called = "DuckDB"

    memory: str | None = None
    threads: int | None = None
    folder: str | None = None

    @contextmanager
    def opened(self) -> Iterator[Tables]:
        """A database in memory."""
        try:
            import duckdb
        except ImportError as problem:
            raise missing(self.called, self.name) from problem
        refuse_missing_folder(self, self.folder)
        with tempfile.TemporaryDirectory(prefix="algolens-", dir=self.folder) as folder:
            base = duckdb.connect(":memory:")
            try:
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
            finally:
                base.close()


class _DuckDBTables(Tables):
    row_number = "ROW_NUMBER() OVER ()"

    def __init__(self, base: Any) -> None:
        self.base = base

    def load(self, name: str, columns: Mapping[str, Any]) -> None:
        import pyarrow as pa

        given = pa.table(dict(columns))
        self.base.register("given", given)
        self.base.execute(f"CREATE OR REPLACE TABLE {sql_column(name)} AS SELECT * FROM given")
        self.base.unregister("given")

    def open_parquet(self, name: str, path: Path) -> dict[str, str]:
        files = str(path / "**" / "*.parquet") if path.is_dir() else str(path)
        self.base.execute(
            f"CREATE OR REPLACE VIEW {sql_column(name)} AS SELECT * FROM "
            f"read_parquet({in_quotes(files)})"
        )
        described = self.base.execute(f"DESCRIBE {sql_column(name)}").fetchall()
        return {row[0]: row[1].lower() for row in described}

    def make(self, queries: Mapping[str, str]) -> None:
        for command in commands(queries):
            self.base.execute(command)

    def drop(self, name: str) -> None:
        self.base.execute(f"DROP TABLE {sql_column(name)}")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.base.execute(query).fetchall()

    def columns(self, query: str) -> dict[str, Any]:
        return self.base.execute(query).fetchnumpy()

    def write_parquet(self, query: str, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        file = in_quotes(str(path / "part-0.parquet"))
        self.base.execute(f"COPY ({query}) TO {file} (FORMAT parquet)")
