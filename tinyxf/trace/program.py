"""Programs: a trace as a value, which can be run again.

After the traced arrays, before every reading.  A program is a tuple of steps in topological order, so running it is
one loop, with other leaf values, in another arithmetic, or with numbers rounded on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

from tinyxf.errors import UnknownNameError, nearest
from tinyxf.trace.arithmetic import FLOAT64, LEAVES, Arithmetic, Operation
from tinyxf.trace.traced import Node

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `operation` on the results of earlier steps.  A leaf has its recorded `value`, and maybe a name."""

    operation: Operation
    operands: tuple[int, ...] = ()
    name: str = ""
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in an order in which operands come first."""

    steps: tuple[Step, ...]

    @property
    def leaves(self) -> Mapping[str, int]:
        """The named leaves and where they stand."""
        return MappingProxyType({step.name: place for place, step in enumerate(self.steps) if step.name})

    def run(
        self,
        arithmetic: Arithmetic[V],
        leaves: Mapping[str, float] = MappingProxyType({}),
        settle: Callable[[int, V], V] | None = None,
    ) -> tuple[V, ...]:
        """Return the result of every step, with the named `leaves` changed.

        `settle` sees each result with its place before others use it, and may replace it (by its rounded form, say).
        Raises UnknownNameError for a leaf that the program does not have.
        """
        lost = sorted(leaves.keys() - self.leaves.keys()) if leaves else []
        if lost:
            raise UnknownNameError(f'the program has no leaf "{lost[0]}"{nearest(lost[0], self.leaves)}')
        results: list[V] = []
        for place, step in enumerate(self.steps):
            if step.value is not None:
                result = arithmetic.leaf(leaves.get(step.name, step.value))
            else:
                result = arithmetic.operations[step.operation](*[results[operand] for operand in step.operands])
            results.append(result if settle is None else settle(place, result))
        return tuple(results)

    def values(self, leaves: Mapping[str, float] = MappingProxyType({})) -> tuple[float, ...]:
        """Return the result of every step in float64."""
        return self.run(FLOAT64, leaves)


def freeze(results: Iterable[Node]) -> tuple[Program, tuple[int, ...]]:
    """Return the program that computes `results`, and the place of each of them in it."""
    places: dict[int, int] = {}
    steps: list[Step] = []
    ends = list(results)
    stack = ends[::-1]
    while stack:
        node = stack[-1]
        waiting = [operand for operand in node.operands if id(operand) not in places]
        if id(node) in places or not waiting:
            stack.pop()
            if id(node) not in places:
                places[id(node)] = len(steps)
                steps.append(_step(node, places))
        else:
            stack.extend(reversed(waiting))
    return Program(tuple(steps)), tuple(places[id(end)] for end in ends)


def _step(node: Node, places: Mapping[int, int]) -> Step:
    operands = tuple(places[id(operand)] for operand in node.operands)
    return Step(node.operation, operands, node.name, node.value if node.operation in LEAVES else None)
