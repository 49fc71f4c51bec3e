"""The object that NetworkX loads as a backend; PyTorch is loaded by the first call that runs here.

NetworkX says nothing of what ``can_run`` refuses where the backend is named. So that every refusal
has its cause, ``can_run`` refuses nothing, and ``should_run`` and the functions do.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

from networkx.utils.backends import _registered_algorithms

from algolens.dispatch.offers import OFFERS, does_not_pay, graph_refusal, refusal
from algolens.errors import AlgoLensError


@cache
def _signature(name: str) -> inspect.Signature:
    """What a function of NetworkX takes."""
    return inspect.signature(_registered_algorithms[name].orig_func)


def _read_call(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[dict[str, Any], str | None]:
    """The arguments of a call by name, and why it is left to NetworkX."""
    try:
        bound = _signature(name).bind(*args, **kwargs)
    except TypeError as problem:
        return {}, str(problem)
    bound.apply_defaults()
    return bound.arguments, refusal(name, bound.arguments, _signature(name))


def _call(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """A call of a function, where what AlgoLens refuses is left to NetworkX."""
    given, why = _read_call(name, args, kwargs)
    if why is not None:
        raise NotImplementedError(why)
    from algolens.dispatch.dispatch_graph import AskNetworkXError
    from algolens.dispatch.functions import FUNCTIONS

    graph = given.pop("G")
    try:
        # every other argument has its default
        return FUNCTIONS[name](graph, *(given[argument] for argument in OFFERS[name].takes))
    except AskNetworkXError:
        return _registered_algorithms[name](graph.source, **given, backend="networkx")
    except AlgoLensError as problem:
        raise NotImplementedError(str(problem)) from problem


def _should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    given, why = _read_call(name, args, kwargs)
    return why or does_not_pay(name, given) or True


def _convert_from_nx(graph: Any, **asked: Any) -> Any:
    """A graph as functions here take it; one that all of them refuse is left as it is."""
    if graph_refusal(graph) is not None:
        return graph
    from algolens.dispatch.dispatch_graph import convert_from_nx

    return convert_from_nx(graph, **asked)


def _convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """What a function gave, as NetworkX has it; a converted graph remembers what it was."""
    return getattr(result, "source", result)


interface = SimpleNamespace(
    convert_from_nx=_convert_from_nx,
    convert_to_nx=_convert_to_nx,
    can_run=lambda *_: True,
    should_run=_should_run,
    **{name: partial(_call, name) for name in OFFERS},
)
