"""Graphs, packed by the thousand; the paper's families; conversion from and to NetworkX, PyG,
SciPy, pandas and files.
"""

from algolens.graphs.convert import from_networkx, to_networkx
from algolens.graphs.convert_pandas import from_pandas
from algolens.graphs.convert_pyg import from_pyg, to_pyg
from algolens.graphs.convert_scipy import from_scipy
from algolens.graphs.directions import undirected
from algolens.graphs.elements import Location, TakenGraphs
from algolens.graphs.families import FAMILIES, sample
from algolens.graphs.files import built_ins, load_graph, read_graph_file
from algolens.graphs.graph import Graph
from algolens.graphs.random import stream
from algolens.graphs.recipe import SEVEN_FAMILIES, Recipe

__all__ = [
    "FAMILIES",
    "SEVEN_FAMILIES",
    "Graph",
    "Location",
    "Recipe",
    "TakenGraphs",
    "built_ins",
    "from_networkx",
    "from_pandas",
    "from_pyg",
    "from_scipy",
    "load_graph",
    "read_graph_file",
    "sample",
    "stream",
    "to_networkx",
    "to_pyg",
    "undirected",
]
