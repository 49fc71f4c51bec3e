"""The object that NetworkX loads as a backend; PyTorch is loaded by the first call that runs here.

NetworkX says nothing of what ``can_run`` refuses where the backend is named. So that every refusal
has its cause, ``can_run`` refuses nothing, and ``should_run`` and the functions do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

from networkx.utils.backends import _registered_algorithms

from algolens.dispatch.offers import OFFERS, graph_refusal, refusal, should_run
from algolens.errors import AlgoLensError

# a function of directed graphs that is one of undirected ones without the directions
ALIKE = {
    "weakly_connected_components": "connected_components",
    "number_weakly_connected_components": "number_connected_components",
    "is_weakly_connected": "is_connected",
}


@cache
def signature(name: str) -> inspect.Signature:
    """What a function of NetworkX takes."""
    return inspect.signature(_registered_algorithms[name].orig_func)


def implementation(name: str) -> Callable[..., Any]:
    """A function by NetworkX's name for it."""
    from algolens.dispatch import choices, parts, paths, searches

    own = ALIKE.get(name, name)
    functions = {**vars(searches), **vars(parts), **vars(choices), **paths.FUNCTIONS}
    return functions[own]


def _call(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """A call of a function, where what AlgoLens refuses is left to NetworkX."""
    why = refusal(name, args, kwargs, signature(name))
    if why is not None:
        raise NotImplementedError(why)
    try:
        return implementation(name)(*args, **kwargs)
    except AlgoLensError as problem:
        raise NotImplementedError(str(problem)) from problem


def _convert_from_nx(graph: Any, *args: Any, **kwargs: Any) -> Any:
    """A graph as functions here take it; one that all of them refuse is left as it is."""
    if graph_refusal(graph) is not None:
        return graph
    from algolens.dispatch.dispatch_graph import convert_from_nx

    return convert_from_nx(graph, *args, **kwargs)


def _convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    from algolens.dispatch.dispatch_graph import convert_to_nx

    return convert_to_nx(result, name=name)


def _can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    return True


def _should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    return should_run(name, args, kwargs, signature(name))


FUNCTIONS = {name: partial(_call, name) for name in OFFERS}
interface = SimpleNamespace(
    convert_from_nx=_convert_from_nx,
    convert_to_nx=_convert_to_nx,
    can_run=_can_run,
    should_run=_should_run,
    **FUNCTIONS,
)
