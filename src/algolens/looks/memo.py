"""The fields of a batch of graphs, state after state: a step computes only what follows from fields
that have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from torch import Tensor

Found = TypeVar("Found")


class MemoEntry:
    """A tensor as it was: one that was written into since is known by its version."""

    __slots__ = ("tensor", "version")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        # tensors of inference mode count no versions
        self.version = None if tensor.is_inference() else tensor._version

    def holds(self, tensor: Tensor) -> bool:
        """Whether a tensor is this very one, and as it was."""
        return (
            tensor is self.tensor and self.version is not None and tensor._version == self.version
        )

    def equals(self, tensor: Tensor) -> bool:
        """Whether this one is as it was, and a tensor has the same values."""
        return self.holds(self.tensor) and self.tensor.equal(tensor)


class Memo:
    """When each field has changed last, and what was found from fields since."""

    def __init__(self, lasting: Iterable[str] = ()) -> None:
        """lasting: fields that are expected to stay as they are, so that work on them is worth its
        while.
        """
        self.lasting = frozenset(lasting)
        self.now = 0  # the number of the state
        self._kept: dict[str, MemoEntry] = {}
        self._changed: dict[str, int] = {}  # in which state a field came to be what it is
        # in which state, and what
        self._found: dict[Hashable, tuple[int, object, MemoEntry | None]] = {}

    def begin(self, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The next state. A field that is as it was comes as the tensor of last time."""
        self.now += 1
        return {name: self.keep(name, value) for name, value in values.items()}

    def keep(self, name: str, value: Tensor) -> Tensor:
        """A field of this state."""
        kept = self._kept.get(name)
        if kept is not None and (kept.holds(value) or kept.equals(value)):
            return kept.tensor
        self._kept[name] = MemoEntry(value)
        self._changed[name] = self.now
        return value

    def recall(self, what: Hashable, fields: Iterable[str], find: Callable[[], Found]) -> Found:
        """What is found from some fields, and by what never changes; it is found again only where
        one of them has changed.
        """
        known = self._found.get(what)
        if known is not None:
            state, found, kept = known
            changed = self._changed
            for name in fields:
                if changed[name] > state:
                    break
            else:
                # else who was given it has written into it
                if kept is None or kept.holds(kept.tensor):
                    return found  # type: ignore[return-value]
        result = find()
        self._found[what] = (
            self.now,
            result,
            MemoEntry(result) if isinstance(result, Tensor) else None,
        )
        return result
