"""Programs on databases: the SQL of a program carried out by DuckDB, or by Spark on a cluster."""

from algolens.engines.sql.duckdb_engine import DuckDB
from algolens.engines.sql.engine import ENGINES, Engine, find_engine, on_steps
from algolens.engines.sql.in_memory import run_in_tables
from algolens.engines.sql.parquet import ParquetRun, run_on_parquet
from algolens.engines.sql.spark_engine import Spark

ENGINES.update({engine.name: engine for engine in (DuckDB, Spark)})

__all__ = [
    "ENGINES",
    "DuckDB",
    "Engine",
    "ParquetRun",
    "Spark",
    "find_engine",
    "on_steps",
    "run_in_tables",
    "run_on_parquet",
]
