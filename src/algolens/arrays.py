"""Operations on arrays of NumPy and tensors of PyTorch, where the two call them differently.

Graphs, inputs and runs hold arrays of NumPy; ``to("cpu")`` of a graph or a run gives the same with
tensors, for what is learnt. What computes on them is written once, for both. Where the two agree
(operators, indexing, ``len``, ``sum``, ``cumsum(0)``, ``clip``, ``reshape``, ``tolist``), nothing
stands here. PyTorch is not imported until a tensor is asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from algolens.lazy import is_instance, torch

Array: TypeAlias = Any  # a NumPy array, or a tensor
Values: TypeAlias = Mapping[str, Array]  # fields by name
DType: TypeAlias = Any  # bool, int or float, as both libraries take them
NUMPY = "numpy"  # the device of NumPy's arrays
LARGEST = 2**63 - 1  # of whole numbers


def is_numpy(array: Array) -> bool:
    """Whether it is NumPy's, not a tensor."""
    return isinstance(array, np.ndarray | np.generic)


def is_array(value: object) -> bool:
    """Whether it is an array of either kind.

    >>> is_array(np.zeros(2)), is_array([0, 0])
    (True, False)
    """
    return isinstance(value, np.ndarray) or is_instance(value, "torch", "Tensor")


def _library(array: Array) -> Any:
    """NumPy or PyTorch, for functions that both call alike."""
    return np if is_numpy(array) else torch


def device_of(array: Array) -> Any:
    """Where it is: ``numpy``, or a device of PyTorch."""
    return NUMPY if is_numpy(array) else array.device


def to(array: Array, device: Any) -> Array:
    """The same values on a device; in the host's memory they are shared, not copied."""
    if device == NUMPY:
        return array if is_numpy(array) else array.detach().cpu().numpy()
    if not is_numpy(array):
        return array.to(device)
    if any(stride < 0 for stride in array.strides) or not array.flags.writeable:
        array = array.copy()  # tensors know no such strides
    return torch.from_numpy(array).to(device)


def is_of(array: Array, dtype: DType) -> bool:
    """Whether values are of a type: bool, int (of 64 bits) or float (of 64 bits)."""
    if is_numpy(array):
        return bool(array.dtype == dtype)
    return array.dtype == {bool: torch.bool, int: torch.int64, float: torch.float64}[dtype]


def is_floating(array: Array) -> bool:
    """Whether values are floats, of any length."""
    return array.dtype.kind == "f" if is_numpy(array) else array.is_floating_point()


def sha256(arrays: Values, beside: str = "") -> str:
    """SHA-256 of some text, and of arrays by their names, types, shapes and bytes."""
    digest = hashlib.sha256(beside.encode())
    for name, value in sorted(arrays.items()):
        kind = f"torch.{value.dtype}" if is_numpy(value) else value.dtype
        digest.update(f"{name} {kind} {tuple(value.shape)}\n".encode())
        if not is_numpy(value):  # NumPy does not know all types of PyTorch
            value = value.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy()
        digest.update(value.tobytes())
    return digest.hexdigest()


# ---- made anew


def array(values: Sequence[Any], dtype: DType, device: Any = NUMPY) -> Array:
    """Values as an array."""
    return to(np.array(values, dtype=dtype), device)


def zeros(shape: int | tuple[int, ...], dtype: DType, device: Any = NUMPY) -> Array:
    """Zeros, or false everywhere."""
    if device == NUMPY:
        return np.zeros(shape, dtype)
    return torch.zeros(shape, dtype=dtype, device=device)


def full(count: int, value: Any, device: Any = NUMPY) -> Array:
    """[count] one value everywhere."""
    if device == NUMPY:
        return np.full(count, value)
    return torch.full((count,), value, device=device)


def arange(count: int, device: Any = NUMPY) -> Array:
    """[count] 0, 1, 2, ..."""
    return np.arange(count) if device == NUMPY else torch.arange(count, device=device)


# ---- of the same kind


def cast(array: Array, dtype: DType) -> Array:
    """Values as bool, int or float."""
    return array.astype(dtype, copy=False) if is_numpy(array) else array.to(dtype)


def as_bytes(bools: Array) -> Array:
    """Bools as bytes, 0 or 1, in the same memory."""
    return bools.view(np.uint8 if is_numpy(bools) else torch.uint8)


def clone(array: Array) -> Array:
    """A copy."""
    return array.copy() if is_numpy(array) else array.clone()


def concat(parts: Sequence[Array], axis: int = 0) -> Array:
    """One after the other."""
    return _library(parts[0]).concatenate(tuple(parts), axis)


def stack(parts: Sequence[Array]) -> Array:
    """Each as a row."""
    return _library(parts[0]).stack(tuple(parts))


def flip(array: Array) -> Array:
    """The last row first."""
    return _library(array).flip(array, (0,))


def where(condition: Array, value: Any, other: Any) -> Array:
    """The one where the condition holds, the other where it does not."""
    return _library(condition).where(condition, value, other)


def take(array: Array, places: Array) -> Array:
    """The values at some places. array: [N] or [N, ...]."""
    return array.take(places, 0) if is_numpy(array) else array.index_select(0, places)


def expand(array: Array, shape: tuple[int, ...]) -> Array:
    """The same values in a larger shape."""
    return _library(array).broadcast_to(array, shape)


def flatnonzero(mask: Array) -> Array:
    """The places that are marked. mask: [N]."""
    return nonzero(mask)[0]


def nonzero(mask: Array) -> tuple[Array, ...]:
    """Of the marked places, the index along each axis."""
    return mask.nonzero() if is_numpy(mask) else mask.nonzero(as_tuple=True)


def count(mask: Array) -> int:
    """How many places are marked."""
    return int(_library(mask).count_nonzero(mask))


def repeat(array: Array, counts: Array, total: int | None = None) -> Array:
    """Each value so many times. total: of all counts, where it is known."""
    if is_numpy(array):
        return array.repeat(counts)
    return torch.repeat_interleave(array, counts, output_size=total)


def argsort(array: Array, *, descending: bool = False) -> Array:
    """The order that sorts values, equals as they stand."""
    if not is_numpy(array):
        return array.argsort(stable=True, descending=descending)
    if descending:
        array = ~array if array.dtype == bool else -array
    return array.argsort(kind="stable")


def searchsorted(ascending: Array, values: Array, *, right: bool = False) -> Array:
    """Before which place values would be put; of equals, behind the last."""
    side = "right" if right else "left"
    return _library(ascending).searchsorted(ascending, values, side=side)


def unique(array: Array) -> Array:
    """The different values, ascending; of [K, N], the different columns."""
    if is_numpy(array):
        return np.unique(array, axis=array.ndim - 1)
    return array.unique(dim=array.ndim - 1)


def ranks(columns: Array) -> Array:
    """[N] which of the different columns of [K, N], in their order, each column is."""
    if is_numpy(columns):
        return np.unique(columns, axis=1, return_inverse=True)[1].reshape(-1)
    return columns.unique(dim=1, return_inverse=True)[1]


def bincount(array: Array, size: int) -> Array:
    """[size] how often each number is there."""
    return _library(array).bincount(array, minlength=size)


def extremes(array: Array) -> tuple[int, int]:
    """The least and the greatest value."""
    return int(array.min()), int(array.max())


def equal(one: Array, other: Array) -> bool:
    """Whether two are of one type, with the same values; one may be a tensor, the other not.

    >>> equal(np.zeros(2), np.zeros(2)), equal(np.zeros(2), np.zeros(2, bool))
    (True, False)
    """
    if is_numpy(one) is not is_numpy(other):
        one, other = to(one, NUMPY), to(other, NUMPY)
    if one.dtype != other.dtype:
        return False
    if not is_numpy(one):
        return bool(torch.equal(one, other))
    return one.shape == other.shape and not (one != other).any()


# ---- what goes to one place is reduced


def any_of(marked: Array, groups: Array, size: int) -> Array:
    """[size] bools: is a member of the group marked? groups: [N] of each member.

    >>> any_of(np.array([True, False, True]), np.array([2, 0, 2]), 4).tolist()
    [False, False, True, False]
    """
    if size == 1:
        return marked.any().reshape(1)
    found = zeros(size, bool, device_of(marked))
    put_any(found, groups, marked)
    return found


def put_any(found: Array, groups: Array, marked: Array) -> None:
    """Marks each group of which a member is marked."""
    if is_numpy(found):
        # "or" as a maximum of bytes: of bools it is far slower
        np.maximum.at(as_bytes(found), groups, as_bytes(marked))
    else:
        as_bytes(found).scatter_reduce_(0, groups, as_bytes(marked), "amax")


def least_of(values: Array, groups: Array, size: int, worst: int) -> Array:
    """[size] the least value of each group; the worst where it has no member."""
    if size == 1 and len(values):
        return values.min().reshape(1)
    least = full(size, worst, device_of(values))
    if is_numpy(values):
        np.minimum.at(least, groups, values)
        return least
    return least.to(values.dtype).scatter_reduce_(0, groups, values, "amin")


def sum_of(values: Array, groups: Array, size: int) -> Array:
    """[size] the sum of each group: of bools, how many are true."""
    if size == 1:
        return values.sum().reshape(1)
    sums = zeros(size, int, device_of(values))
    if is_numpy(values):
        np.add.at(sums, groups, values.astype(int, copy=False))
        return sums
    return sums.index_add_(0, groups, values.long())


def all_to(arrays: Values, device: Any) -> dict[str, Array]:
    """Arrays by name, on a device."""
    return {name: to(array, device) for name, array in arrays.items()}
