"""The object that NetworkX loads as a backend: conversion, what can be run, and the functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import SimpleNamespace
from typing import Any

from algolens.dispatch import choices, parts, paths, searches
from algolens.dispatch.dispatch_graph import convert_from_nx, convert_to_nx
from algolens.dispatch.offers import OFFERS, can_run, should_run
from algolens.errors import AlgoLensError

# a function of directed graphs that is one of undirected ones without the directions
ALIKE = {
    "weakly_connected_components": "connected_components",
    "number_weakly_connected_components": "number_connected_components",
    "is_weakly_connected": "is_connected",
}


def _function(name: str) -> Callable[..., Any]:
    """A function by NetworkX's name for it."""
    modules = (searches, paths, parts, choices)
    own = ALIKE.get(name, name)
    return next(getattr(module, own) for module in modules if hasattr(module, own))


def _refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same, where what AlgoLens refuses is left to NetworkX."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except AlgoLensError as problem:
            raise NotImplementedError(str(problem)) from problem

    return call


FUNCTIONS = {name: _refusing(_function(name)) for name in OFFERS}
SIGNATURES = {name: inspect.signature(function) for name, function in FUNCTIONS.items()}


def _can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    return can_run(name, args, kwargs, SIGNATURES[name])


def _should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    return should_run(name, args, kwargs, SIGNATURES[name])


interface = SimpleNamespace(
    convert_from_nx=convert_from_nx,
    convert_to_nx=convert_to_nx,
    can_run=_can_run,
    should_run=_should_run,
    **FUNCTIONS,
)
