"""What was found last, so that a step computes only what has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import Tensor


class Kept:
    """A tensor as it was: one that was written into since is known by its version."""

    __slots__ = ("tensor", "version")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.version = None if tensor.is_inference() else tensor._version  # tensors of inference mode count no versions

    def holds(self, tensor: Tensor) -> bool:
        """Whether a tensor is this very one, and as it was."""
        return tensor is self.tensor and self.version is not None and tensor._version == self.version

    def equals(self, tensor: Tensor) -> bool:
        """Whether this one is as it was, and a tensor has the same values."""
        return self.holds(self.tensor) and self.tensor.equal(tensor)


class Remembered:
    """A result, and the tensors that it was found from: it is found again only where one of them is another.

    A result that comes out as it was is handed on as the very same tensor, so that what follows from it is not found again.
    """

    __slots__ = ("_inputs", "_result")

    def __init__(self) -> None:
        self._inputs: list[Kept] = []
        self._result: Kept | None = None

    def __call__(self, inputs: Sequence[Tensor], find: Callable[[], Tensor]) -> Tensor:
        """The result of ``find``, which goes by the inputs and by what never changes."""
        result = self._result
        if result is not None and all(map(Kept.holds, self._inputs, inputs)) and result.holds(result.tensor):
            return result.tensor
        self._inputs = [Kept(each) for each in inputs]
        return self.keep(find())

    def keep(self, found: Tensor) -> Tensor:
        """What was found: the tensor of last time, where it is equal."""
        result = self._result
        if result is not None and (result.holds(found) or result.equals(found)):
            return result.tensor
        self._result = Kept(found)
        return found
