"""Results by what a user calls nodes and edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from algolens.errors import UnknownNameError


class Outputs(Mapping[str, "ByElement"]):
    """For each output, its values, made when they are asked for; other names are refused."""

    def __init__(
        self, algorithm: str, names: tuple[str, ...], make: Callable[[str], ByElement]
    ) -> None:
        self.algorithm, self.names, self._make = algorithm, names, make
        self._made: dict[str, ByElement] = {}

    def __getitem__(self, name: str) -> ByElement:
        if name not in self.names:
            raise UnknownNameError(f"output of {self.algorithm}", name, self.names)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return repr(dict(self))


class ByElement(dict[Any, Any]):
    """A value for each node, or for each edge by its ends; an undirected edge in either order.

    >>> weights = ByElement({("a", "b"): 1}, "edge", directed=False)
    >>> weights["b", "a"], weights.get(("b", "a")), ("b", "a") in weights
    (1, 1, True)
    """

    def __init__(self, values: dict[Any, Any], what: str, *, directed: bool) -> None:
        super().__init__(values)
        self.what, self.directed = what, directed

    def __missing__(self, element: Any) -> Any:
        known = self._known(element)
        if known is None:
            raise UnknownNameError(f"{self.what} of this graph", element, self)
        return self[known[0]]

    def __contains__(self, element: object) -> bool:
        return super().__contains__(element) or self._known(element) is not None

    def get(self, element: Any, default: Any = None) -> Any:
        """The value of an element; the default where there is no such element."""
        if element not in self:
            return default
        return self[element]

    def _known(self, element: object) -> tuple[Any] | None:
        """What the user calls an element that is named otherwise: by its text, or turned round."""
        called = self._called(element)
        there = self._by_name.get(called)
        if there is None and self.what == "edge" and not self.directed:
            there = self._by_name.get(called[::-1])
        return there

    def _called(self, element: object) -> tuple[str, ...]:
        # 3, and a file that calls it '3'
        if self.what == "edge" and isinstance(element, tuple):
            return tuple(map(str, element))
        return (str(element),)

    @cached_property
    def _by_name(self) -> dict[tuple[str, ...], tuple[Any]]:
        return {self._called(known): (known,) for known in self}
