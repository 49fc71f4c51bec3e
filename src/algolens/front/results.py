"""What came of a run, by name: dictionaries that say what there is where something is not."""

from __future__ import annotations

from typing import Any

from algolens.errors import UnknownNameError


class Outputs(dict[str, "ByElement"]):
    """For each output, its values."""

    def __init__(self, algorithm: str, values: dict[str, ByElement]) -> None:
        super().__init__(values)
        self.algorithm = algorithm

    def __missing__(self, name: str) -> ByElement:
        raise UnknownNameError(f"output of {self.algorithm}", name, self)


class ByElement(dict[Any, Any]):
    """A value for each node, or for each edge by its ends; an edge without a direction in either
    order.

    >>> found = ByElement({("a", "b"): 1}, "edge", directed=False)
    >>> found["b", "a"]
    1
    """

    def __init__(self, values: dict[Any, Any], what: str, *, directed: bool) -> None:
        super().__init__(values)
        self.what, self.directed = what, directed

    def __missing__(self, element: Any) -> Any:
        turned = (
            element[::-1]
            if isinstance(element, tuple) and self.what == "edge" and not self.directed
            else None
        )
        if turned in self:
            return self[turned]
        # 3, and a file that calls it '3'
        alike = next((each for each in self if str(each) == str(element)), None)
        if alike is None:
            raise UnknownNameError(f"{self.what} of this graph", element, self)
        return self[alike]
