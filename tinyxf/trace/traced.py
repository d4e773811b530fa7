"""Traced numbers: the stages run over them unchanged, and every elementary operation leaves a node.

After the arithmetics, before programs.  A `Node` knows its operation, its operands and its float64 value; a
`TracedArray` is an ndarray of nodes that takes part in numpy's own protocols, so a stage written for float64 arrays
needs to know nothing of it.  The nodes themselves are the trace: a run leaves nothing behind but what its results
refer to.

What can't be replayed with other numbers is refused: comparisons, truth values, conversion to float.  A maximum is a
node that keeps all its operands.  Only `argsort` and `argmax` look at values, for they give an order, not a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any, NoReturn, cast

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from tinyxf.trace.arithmetic import FLOAT64, Operation

_Op = Operation


class Node(NDArrayOperatorsMixin):
    """One traced number: `operation` on `operands` gave `value`.  `name` is a leaf's own."""

    __hash__ = object.__hash__
    __slots__ = ("name", "operands", "operation", "value")

    def __init__(self, operation: Operation, operands: tuple[Node, ...], value: float, name: str = "") -> None:
        self.operation = operation
        self.operands = operands
        self.value = value
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name or self.operation} {self.value!r}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a traced number has no truth value: a branch taken on it could not be replayed")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        return _apply(ufunc, method, inputs, options)


class TracedArray(np.ndarray[Any, np.dtype[np.object_]]):
    """An array of nodes.  Plain numbers stored or met on the way become constants."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        return _apply(ufunc, method, inputs, options)

    def __array_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: Iterable[Any], kwargs: Mapping[str, Any]
    ) -> object:
        if func is np.dot:  # its inner loop would chain additions two by two
            return np.matmul(*args, **kwargs)
        if func in (np.argsort, np.argmax):
            array, *others = args
            return func(node_values(array), *others, **kwargs)
        result = super().__array_function__(func, types, args, kwargs)
        if isinstance(result, np.ndarray) and result.dtype == object and func is not np.empty_like:
            return _nodes(result).view(TracedArray)  # np.where, for one, gives a plain array
        return result

    def __setitem__(self, key: object, value: object) -> None:
        nodes = _nodes(value)
        super().__setitem__(cast("Any", key), nodes if nodes.ndim else nodes[()])


def lift(array: npt.ArrayLike, name: str) -> TracedArray:
    """Return an array of leaves, each named after its place: `model.blocks.0.w1[3, 2]`.

    Raises ValueError for nan and infinities.
    """
    plain = np.asarray(array)
    lifted = np.empty(plain.shape, dtype=object)
    for index in np.ndindex(plain.shape):
        lifted[index] = name_leaf(plain[index].item(), leaf_name(name, index))
    return lifted.view(TracedArray)


def name_leaf(value: float, name: str) -> Node:
    """Return one leaf.  Raises ValueError for nan and infinities."""
    if not math.isfinite(value):
        raise ValueError(f"{name} is {value}, expected a finite number")
    return Node(_Op.LEAF, (), value, name)


def leaf_name(path: str, index: tuple[int, ...]) -> str:
    """Return the name of a leaf: the path of its array, and its index where there is one."""
    return path + (f"[{', '.join(map(str, index))}]" if index else "")


def as_node(value: object) -> Node:
    """Return `value` itself if it is a node, a constant if it is a plain number; -inf is a masked entry."""
    if isinstance(value, Node):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (int, float)):
        raise TypeError(f"expected a number, found {value!r} of type {type(value).__name__}")
    if value == -math.inf:
        return Node(_Op.MASKED, (), value)
    if not math.isfinite(value):
        raise ValueError(f"a traced number must be finite or masked (-inf), found {value}")
    return Node(_Op.CONSTANT, (), value)


def node_values(array: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the float64 values of an array of nodes."""
    nodes = _nodes(array)
    return np.array([cast("Node", node).value for node in nodes.flat], dtype=np.float64).reshape(nodes.shape)


def record(operation: Operation, *operands: Node) -> Node:
    """Compute in float64 and leave a node.  Masked entries are settled by `_masked`."""
    for operand in operands:
        if operand.operation is _Op.MASKED:
            return _masked(operation, operands)
    value = FLOAT64.operations[operation](*[operand.value for operand in operands])
    return Node(operation, operands, value)


def _masked(operation: Operation, operands: tuple[Node, ...]) -> Node:
    """Carry a masked entry through an operation: it contributes nothing, whatever the other numbers are.

    Before exp it is -inf, which a maximum ignores and a shift or a positive scale leaves alone; after exp it is 0,
    which a sum leaves out and a product or quotient passes on.
    """
    live = tuple(operand for operand in operands if operand.operation is not _Op.MASKED)
    first = operands[0]
    hidden = {operand.value for operand in operands if operand.operation is _Op.MASKED}
    if hidden == {0.0}:
        if operation is _Op.ADD and live:
            return record(_Op.ADD, *live)
        if operation in (_Op.ADD, _Op.MULTIPLY) or (operation is _Op.DIVIDE and first.operation is _Op.MASKED):
            return Node(_Op.MASKED, (), 0.0)
        return record(
            operation, *(Node(_Op.CONSTANT, (), 0.0) if each.operation is _Op.MASKED else each for each in operands)
        )
    if hidden == {-math.inf}:
        if operation is _Op.EXP:
            return Node(_Op.MASKED, (), 0.0)
        if operation is _Op.MAXIMUM and live:
            return record(_Op.MAXIMUM, *live)
        shifted = operation is _Op.ADD or (
            operation is _Op.SUBTRACT and len(live) == 1 and first.operation is _Op.MASKED
        )
        scaled = (
            operation in (_Op.MULTIPLY, _Op.DIVIDE)
            and len(live) == 1
            and live[0].value > 0
            and (operation is _Op.MULTIPLY or first.operation is _Op.MASKED)
        )
        if shifted or scaled:
            return Node(_Op.MASKED, (), -math.inf)
    raise ValueError(f"a masked entry can't take part in {operation} of {', '.join(map(repr, operands))}")


def _vectorised(operation: Operation, count: int) -> Callable[..., object]:
    vectorised: Callable[..., object] = np.frompyfunc(lambda *nodes: record(operation, *nodes), count, 1)
    return vectorised


_as_nodes = np.frompyfunc(as_node, 1, 1)
_square = np.frompyfunc(lambda node: record(_Op.POWER, node, as_node(2)), 1, 1)
_RECORDED: Mapping[np.ufunc, Callable[..., object]] = {
    **{
        getattr(np, name): _vectorised(Operation(name), 1)
        for name in ("negative", "exp", "log", "sqrt", "sin", "cos")
    },
    **{
        getattr(np, name): _vectorised(Operation(name), 2)
        for name in ("add", "subtract", "multiply", "divide", "power", "maximum")
    },
    np.square: _square,
}
_REDUCED: Mapping[np.ufunc, Operation] = {np.add: _Op.ADD, np.maximum: _Op.MAXIMUM}


def _nodes(value: object) -> npt.NDArray[np.object_]:
    """Return `value` as a plain object array of nodes, of no dimension for a single number."""
    if isinstance(value, Node):
        single = np.empty((), dtype=object)
        single[()] = value
        return single
    array = np.asarray(value, dtype=object).view(np.ndarray)
    nodes = np.empty(array.shape, dtype=object)
    nodes[...] = _as_nodes(array)
    return nodes


def _apply(ufunc: np.ufunc, method: str, inputs: tuple[object, ...], options: dict[str, Any]) -> object:
    """Record what `ufunc` does to `inputs`.  Raises TypeError for what leaves no trace."""
    result: object
    if method == "__call__" and ufunc is np.matmul:
        result = _matrix_product(*map(_nodes, inputs))
    elif method == "__call__" and ufunc in _RECORDED:
        result = _RECORDED[ufunc](*map(_nodes, inputs))
    elif method == "reduce" and ufunc in _REDUCED:
        result = _reduce(
            _REDUCED[ufunc], _nodes(inputs[0]), options.get("axis", 0), keep=options.get("keepdims", False)
        )
    else:
        known = ", ".join(sorted(known.__name__ for known in [*_RECORDED, np.matmul]))
        raise TypeError(
            f"numpy's {ufunc.__name__}.{method} can't be traced; a stage may use {known}, sum, mean and max"
        )
    if options.get("where", True) is not True or options.get("dtype") not in (None, np.dtype(object)):
        raise TypeError(f"numpy's {ufunc.__name__} can be traced neither with a condition nor with a dtype")
    if "out" in options:
        (out,) = options["out"]
        out[...] = result
        return out
    return result.view(TracedArray) if isinstance(result, np.ndarray) else result


def _reduce(
    operation: Operation, nodes: npt.NDArray[np.object_], axis: int | tuple[int, ...] | None, *, keep: bool
) -> object:
    """Gather `nodes` along `axis` (None: all of them), one node of many operands for each place that is left."""
    axes = range(nodes.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = sorted({int(each) % nodes.ndim for each in axes}) if nodes.ndim else []
    kept = [each for each in range(nodes.ndim) if each not in gone]
    rows = nodes.transpose([*kept, *gone]).reshape([nodes.shape[each] for each in kept] + [-1])
    result = np.empty(rows.shape[:-1], dtype=object)
    for index in np.ndindex(result.shape):
        result[index] = record(operation, *rows[index]) if rows.shape[-1] else as_node(0)
    if keep:
        return result.reshape([1 if each in gone else size for each, size in enumerate(nodes.shape)])
    return result if result.ndim else result[()]


def _matrix_product(left: npt.NDArray[np.object_], right: npt.NDArray[np.object_]) -> object:
    """Return the product of two arrays of one or two dimensions, each entry one sum of products."""
    if not (1 <= left.ndim <= 2 and 1 <= right.ndim <= 2):  # noqa: PLR2004  vectors and matrices
        raise TypeError(
            f"only vectors and matrices can be multiplied in a trace, found {left.ndim} and {right.ndim} axes"
        )
    if left.shape[-1] != right.shape[0]:
        raise ValueError(f"shapes {left.shape} and {right.shape} do not fit in a matrix product")
    rows = np.atleast_2d(left)
    columns = right.reshape(len(right), -1).T
    result = np.empty((len(rows), len(columns)), dtype=object)
    for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
        result[i, j] = record(_Op.ADD, *(record(_Op.MULTIPLY, a, b) for a, b in zip(row, column, strict=True)))
    shape = left.shape[:-1] + right.shape[1:]
    return result.reshape(shape) if shape else result[0, 0]
