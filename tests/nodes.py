"""The smallest trace that proves a point: an object array that leaves a node for every elementary operation.

The stages promise to run unchanged over such arrays.  A node keeps its operation, its operands and its value; plain
floats that a stage brings along (the mask's -inf, ReLU's zero) become constants.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from tinyxf.model import Inputs, Run
from tinyxf.params import Array, Model

OPERATIONS: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": lambda a, b: a**b,
    "maximum": max,
    "negative": lambda a: -a,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
}


class Node(NDArrayOperatorsMixin):
    """One operation with its operands and its value; a leaf where the operation is empty."""

    __slots__ = ("operands", "operation", "value")

    def __init__(self, operation: str, operands: tuple[Node, ...], value: float) -> None:
        self.operation = operation
        self.operands = operands
        self.value = value

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: Any) -> Any:
        return apply(ufunc, method, *inputs, **options)


class Nodes(np.ndarray[Any, np.dtype[np.object_]]):
    """An array of nodes, which hands every ufunc to `apply`."""

    __array_priority__ = 1.0  # so that arrays joined from these are of this class, too

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: Any) -> Any:
        return apply(ufunc, method, *inputs, **options)


def leaves(array: Array) -> Any:
    """Return the array with a leaf for each number."""
    made = np.empty(array.shape, dtype=object)
    for index in np.ndindex(array.shape):
        made[index] = Node("", (), array[index].item())
    return made.view(Nodes)


def values(found: object) -> Array:
    """Return the values of nodes, or of plain numbers that never met an operation, as float64."""
    plain = np.asarray(found, dtype=object)
    numbers = [cell.value if isinstance(cell, Node) else cell for cell in plain.flat]
    return np.array(numbers, dtype=np.float64).reshape(plain.shape)


def apply(ufunc: np.ufunc, method: str, *inputs: object, **options: Any) -> Any:
    """Do what the ufunc would do, one node at a time."""
    operands = [plain(operand) for operand in inputs]
    axis, keepdims, out = (
        options.pop(name, default) for name, default in (("axis", 0), ("keepdims", False), ("out", ()))
    )
    for name in ("casting", "subok", "dtype"):
        options.pop(name, None)  # they say how float64 would be stored
    if options.pop("where", True) is not True or options:
        raise NotImplementedError(f"{ufunc.__name__}.{method} with {options}")
    if method == "reduce":
        result = reduce(ufunc.__name__, operands[0], axis, keepdims=keepdims)
    elif method == "__call__" and ufunc is np.matmul:
        result = multiply_matrices(*operands)
    elif method == "__call__":
        result = elementwise(ufunc.__name__, *operands)
    else:
        raise NotImplementedError(f"{ufunc.__name__}.{method}")
    if out:
        out[0][...] = result
        return out[0]
    return result.view(Nodes) if result.ndim else result[()]


def plain(operand: object) -> Any:
    """Return the operand as a plain object array of nodes, constants made of bare numbers."""
    cells: Any = np.array(operand, dtype=object, copy=True, subok=False)
    for index in np.ndindex(cells.shape):
        if not isinstance(cells[index], Node):
            cells[index] = Node("", (), cells[index])
    return cells


def node(operation: str, *operands: Node) -> Node:
    """Compute one operation and remember how."""
    return Node(operation, operands, OPERATIONS[operation](*(operand.value for operand in operands)))


def elementwise(operation: str, *operands: Any) -> Any:
    """Apply the operation to each entry of the broadcast operands."""
    spread: list[Any] = list(np.broadcast_arrays(*operands))
    result = np.empty(spread[0].shape, dtype=object)
    for index in np.ndindex(result.shape):
        result[index] = node(operation, *(operand[index] for operand in spread))
    return result


def reduce(operation: str, cells: Array, axis: int | tuple[int], *, keepdims: bool) -> Array:
    """Fold one axis from left to right."""
    (own,) = axis if isinstance(axis, tuple) else (axis,)
    moved = np.moveaxis(cells, own, 0)
    result = moved[:1][0]
    for line in moved[1:]:
        result = elementwise(operation, np.asarray(result), line)
    result = np.asarray(result)
    return np.expand_dims(result, own) if keepdims else result


def multiply_matrices(left: Array, right: Array) -> Array:
    """Multiply (R, N) or (N,) by (N, C), entry by entry."""
    rows = left if left.ndim > 1 else left[None]
    result = np.empty((len(rows), right.shape[1]), dtype=object)
    for i, j in np.ndindex(result.shape):
        total = node("multiply", rows[i, 0], right[0, j])
        for inner in range(1, rows.shape[1]):
            total = node("add", total, node("multiply", rows[i, inner], right[inner, j]))
        result[i, j] = total
    return result if left.ndim > 1 else result[0]


def lift(record: Any) -> Any:
    """Return a model, its inputs or a part of them with a leaf for each number; words and ids stay as they are."""
    if isinstance(record, np.ndarray):
        return leaves(record)
    if isinstance(record, tuple):
        return tuple(lift(part) for part in record)
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        fields = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
        return type(record)(**{name: lift(value) for name, value in fields.items()})
    return record


def arrays(record: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted path of each array that a run computed, and the array; model and inputs are left out."""
    if isinstance(record, (np.ndarray, np.generic, Node)):
        yield path, record
    elif isinstance(record, tuple):
        for number, part in enumerate(record):
            yield from arrays(part, f"{path}.{number}")
    elif dataclasses.is_dataclass(record) and not isinstance(record, (Model, Inputs, type)):
        for field in dataclasses.fields(record):
            yield from arrays(getattr(record, field.name), f"{path}.{field.name}" if path else field.name)


def operations(run: Run) -> Counter[str]:
    """Count the nodes of a run by operation, each node once."""
    seen: dict[int, Node] = {}
    waiting = [cell for _, array in arrays(run) for cell in np.asarray(array, dtype=object).flat]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Node) and id(one) not in seen:
            seen[id(one)] = one
            waiting.extend(one.operands)
    return Counter(one.operation for one in seen.values() if one.operation)


def replay(start: Node, known: dict[int, float]) -> float:
    """Compute a node again from other leaf values: `known` maps a leaf's id to its new value, and is filled in."""
    waiting = [start]
    while waiting:
        one = waiting[-1]
        missing = [operand for operand in one.operands if id(operand) not in known]
        if id(one) in known or not missing:
            waiting.pop()
            if one.operation:
                known[id(one)] = OPERATIONS[one.operation](*(known[id(operand)] for operand in one.operands))
            else:
                known.setdefault(id(one), one.value)
        else:
            waiting.extend(missing)
    return known[id(start)]
