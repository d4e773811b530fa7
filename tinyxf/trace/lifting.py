"""From records to traced records, and from a number's source to its node.

Between the traced arrays and whatever runs over them.  Nothing here knows a model: a record is any dataclass whose
fields are arrays, tuples and further records.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from tinyxf.catalog import Resolve
from tinyxf.table import Source
from tinyxf.trace.traced import Node, as_node, leaf_name, lift, name_leaf

R = TypeVar("R")


def lift_record(record: R, prefix: str) -> R:
    """Return a copy of `record` in which every array of numbers, and every float, consists of named leaves.

    The names are those of the fields, with `prefix` in front: `model.blocks.0.w1[3, 2]`.  Plain integers stay
    what they are, since they count and index.  The record's own checks are not run again.
    """
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        lifted = copy.copy(record)
        for field in dataclasses.fields(record):
            value = lift_record(getattr(record, field.name), f"{prefix}.{field.name}")
            object.__setattr__(lifted, field.name, value)
        return lifted
    return cast("R", _lift_value(record, prefix))


def _lift_value(value: object, name: str) -> object:
    match value:
        case tuple():
            return tuple(lift_record(part, f"{name}.{number}") for number, part in enumerate(value))
        case np.ndarray() if value.dtype.kind in "fiu":
            return lift(value, name)
        case float():
            return name_leaf(value, name)
        case _:
            return value


def resolve_source(record: object, source: Source) -> Node:
    """Return the node that `source` names in a traced record; a plain number found there is a leaf of that name.

    Raises LookupError or AttributeError where the path leads nowhere.
    """
    found: Any = record
    for name in source.path.split("."):
        found = found[int(name)] if name.isdecimal() else getattr(found, name)
    for index in (source.index,) if isinstance(found, np.ndarray) else source.index:
        found = found[index]
    if isinstance(found, Node):
        return found
    return name_leaf(as_node(found).value, leaf_name(source.path, source.index))


def trace_run(run: Callable[..., object], **records: object) -> Resolve:
    """Run stages over traced records and return the way from a source to its node.

    Each record is lifted under the name of its argument: `trace_run(run_model, model=model, inputs=inputs)`.
    """
    traced = run(**{name: lift_record(record, name) for name, record in records.items()})
    return partial(resolve_source, traced)
