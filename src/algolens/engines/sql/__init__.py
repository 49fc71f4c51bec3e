"""Programs on databases: the SQL of a program carried out by DuckDB, or by Spark on a cluster."""

from algolens.engines.sql.databases import ENGINES, DuckDB, Spark, find_engine
from algolens.engines.sql.engine import Engine, on_steps, run_in_tables
from algolens.engines.sql.parquet import ParquetRun, run_on_parquet

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
