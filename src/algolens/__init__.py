"""AlgoLens: graph neural networks that carry out classical algorithms step by step, and say why.

Most of what the library does is one function of this package, ``import algolens as al``:

============================  ======================================================
``al.execute(name, graph)``   run an algorithm on a graph of yours: an ``Execution``
``al.execute_parquet(...)``   the same by a database, on files larger than memory
``al.play(execution)``        play it, in a notebook or in a browser
``al.load(name)``             the model that ships for an algorithm, or your own: a ``Model``
``al.explain(model)``         what the network learnt, as rules: an ``Explanation``
``al.certify(model)``         what is proven of it
``al.check(MyAlgorithm)``     whether an algorithm of your own is right, and who learns it
``al.train(MyAlgorithm)``     train networks for it: a ``Model``
``al.evaluate(model)``         its scores on test graphs
``al.wrap(name, network)``    a network that you have trained, as a ``Model``
``al.discover(oracle)``      an algorithm from runs of a black box: concepts, rules, a file
``al.Recorder(state=...)``    the states of a loop of your own, noted down for ``al.discover``
``al.compare(a, b)``          whether two algorithms do the same on every graph
``al.pseudocode(name)``       an algorithm in pseudo-code
``al.list_algorithms()``      the algorithms that there are
``al.clrs``                   CLRS-30: its traces, and scores of any model on them
============================  ======================================================

Run breadth-first search on a graph of NetworkX. Nodes go by your own names.

>>> import networkx as nx
>>> import algolens as al
>>> roads = nx.Graph([("Mill", "Bridge"), ("Bridge", "Well"), ("Well", "Market")])
>>> search = al.execute("bfs", roads, source="Mill")
>>> search.steps, search.result["visited"]["Market"]
(3, True)
>>> print(search.explain("Well", step=2))
Well, step 2 of 3, by algorithm:
Well is reached from Bridge
  has_been_visited: no (it has not been visited)
  has_visited_neighbours: yes (visited nodes lead to it: Bridge)

The same by the network that ships. It is proven right on every graph, so it agrees in every step.

>>> al.load("bfs").execute(roads, source="Mill").agrees
True

What the network learnt, as rules:

>>> print(al.explain("bfs").rules.rules["visited"]["true"])
has_visited_neighbours

Mistakes are errors of the library, in one line that says what to do:

>>> al.execute("bfs", roads, sauce="Mill")  # doctest: +NORMALIZE_WHITESPACE
Traceback (most recent call last):
algolens.errors.UnknownNameError: no input of bfs is called 'sauce'; there are: source.
Did you mean 'source'?
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = (
    False  # as in `typing`, which takes longer to import than all this, and Ctrl-C waits
)
if TYPE_CHECKING:
    from algolens import clrs
    from algolens.api.checking import (
        CheckedAlgorithm,
        check,
        compare,
        list_algorithms,
        pseudocode,
    )
    from algolens.api.discovering import Discovered, discover
    from algolens.api.executing import execute, execute_parquet, play
    from algolens.api.execution import Execution
    from algolens.api.model import (
        Certified,
        Evaluated,
        certify,
        evaluate,
        explain,
        load,
        train,
        wrap,
    )
    from algolens.discovery import Recorder
    from algolens.engines.sql import DuckDB, ParquetRun, Spark
    from algolens.errors import AlgoLensError
    from algolens.experiment.explain import Explanation
    from algolens.experiment.model import Model

__version__ = "0.2.0"

__all__ = [
    "AlgoLensError",
    "Certified",
    "CheckedAlgorithm",
    "Discovered",
    "DuckDB",
    "Evaluated",
    "Execution",
    "Explanation",
    "Model",
    "ParquetRun",
    "Recorder",
    "Spark",
    "certify",
    "check",
    "clrs",
    "compare",
    "discover",
    "evaluate",
    "execute",
    "execute_parquet",
    "explain",
    "list_algorithms",
    "load",
    "play",
    "pseudocode",
    "train",
    "wrap",
]
MODULES = {
    "AlgoLensError": "errors",
    "Certified": "api.model",
    "CheckedAlgorithm": "api.checking",
    "Discovered": "api.discovering",
    "DuckDB": "engines.sql",
    "Evaluated": "api.model",
    "Execution": "api.execution",
    "Explanation": "experiment.explain",
    "Model": "experiment.model",
    "ParquetRun": "engines.sql",
    "Recorder": "discovery",
    "Spark": "engines.sql",
    "certify": "api.model",
    "check": "api.checking",
    "clrs": "clrs",
    "compare": "api.checking",
    "discover": "api.discovering",
    "evaluate": "api.model",
    "execute": "api.executing",
    "execute_parquet": "api.executing",
    "explain": "api.model",
    "list_algorithms": "api.checking",
    "load": "api.model",
    "play": "api.executing",
    "pseudocode": "api.checking",
    "train": "api.model",
    "wrap": "api.model",
}


if not TYPE_CHECKING:  # a name that is not there is then found by type checkers

    def __getattr__(name: str) -> object:
        """Imports a name when it is first used: PyTorch takes seconds, and often is not needed."""
        if name not in MODULES:
            raise AttributeError(
                f"module 'algolens' has no attribute '{name}'; it has {', '.join(__all__)}"
            )
        offered = import_module(f"algolens.{MODULES[name]}")
        if name != MODULES[name]:
            offered = getattr(offered, name)
        globals()[name] = offered
        return offered


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
