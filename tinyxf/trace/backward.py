"""Reverse mode: the gradient of one result by everything that it was computed from.

A reading of the program.  Where a derivative does not exist a stated subgradient stands in: a maximum hands its
gradient to the first of its largest operands, a constant before all others.  So ReLU, the maximum of a number and the
constant 0, has derivative 0 at 0; and softmax, which subtracts a maximum that cancels, does not care.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from tinyxf.trace.arithmetic import Operation
from tinyxf.trace.program import Program

# The derivatives of y by each of its operands x; `fixed` tells which of these are constants.
Slopes = Callable[[Sequence[float], float, Sequence[bool]], Sequence[float]]


def differentiate(program: Program, result: int, values: Sequence[float]) -> tuple[float, ...]:
    """Return the derivative of step `result` by every step, given the `values` of a run in float64.

    A step that `result` does not depend on has derivative 0.
    """
    gradients = [0.0] * len(program.steps)
    gradients[result] = 1.0
    for place in range(result, -1, -1):
        step = program.steps[place]
        if gradients[place] and step.operands:
            x = [values[operand] for operand in step.operands]
            fixed = [program.steps[operand].operation is Operation.CONSTANT for operand in step.operands]
            slopes = _SLOPES[step.operation](x, values[place], fixed)
            for operand, slope in zip(step.operands, slopes, strict=True):
                gradients[operand] += gradients[place] * slope
    return tuple(gradients)


def _power_slopes(x: Sequence[float], y: float, fixed: Sequence[bool]) -> tuple[float, float]:
    by_base = x[1] * math.pow(x[0], x[1] - 1) if x[1] else 0.0
    return by_base, 0.0 if fixed[1] else y * math.log(x[0])


def _maximum_slopes(x: Sequence[float], y: float, fixed: Sequence[bool]) -> tuple[float, ...]:
    largest = [number for number, value in enumerate(x) if value == y]
    chosen = min(largest, key=lambda number: (not fixed[number], number))
    return tuple(float(number == chosen) for number in range(len(x)))


_SLOPES: Mapping[Operation, Slopes] = MappingProxyType(
    {
        Operation.ADD: lambda x, _y, _fixed: [1.0] * len(x),
        Operation.SUBTRACT: lambda _x, _y, _fixed: (1.0, -1.0),
        Operation.MULTIPLY: lambda x, _y, _fixed: (x[1], x[0]),
        Operation.DIVIDE: lambda x, y, _fixed: (1 / x[1], -y / x[1]),
        Operation.NEGATIVE: lambda _x, _y, _fixed: (-1.0,),
        Operation.POWER: _power_slopes,
        Operation.EXP: lambda _x, y, _fixed: (y,),
        Operation.LOG: lambda x, _y, _fixed: (1 / x[0],),
        Operation.SQRT: lambda _x, y, _fixed: (0.5 / y,),
        Operation.SIN: lambda x, _y, _fixed: (math.cos(x[0]),),
        Operation.COS: lambda x, _y, _fixed: (-math.sin(x[0]),),
        Operation.MAXIMUM: _maximum_slopes,
    }
)
