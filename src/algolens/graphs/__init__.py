"""Batches of graphs; the paper's families; graphs from files and from other libraries."""

from algolens.graphs.cells import cells_of
from algolens.graphs.convert import from_networkx, from_pyg, from_scipy, to_networkx, to_pyg
from algolens.graphs.directions import undirected
from algolens.graphs.elements import LOCATIONS, At, TakenGraphs
from algolens.graphs.families import FAMILIES, sample
from algolens.graphs.files import built_ins, load_graph, read_graph_file
from algolens.graphs.given import from_pandas, read_graph
from algolens.graphs.graph import Graph
from algolens.graphs.named import NamedGraph
from algolens.graphs.random import SEVEN_FAMILIES, Recipe, stream

__all__ = [
    "FAMILIES",
    "LOCATIONS",
    "SEVEN_FAMILIES",
    "At",
    "Graph",
    "NamedGraph",
    "Recipe",
    "TakenGraphs",
    "built_ins",
    "cells_of",
    "from_networkx",
    "from_pandas",
    "from_pyg",
    "from_scipy",
    "load_graph",
    "read_graph",
    "read_graph_file",
    "sample",
    "stream",
    "to_networkx",
    "to_pyg",
    "undirected",
]
