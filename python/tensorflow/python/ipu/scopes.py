# SPDX-License-Identifier: MIT
"""Scopes: on which IPU operations are."""
from __future__ import annotations

import contextlib
import typing
from typing import Any, NoReturn

from tensorflow.framework import scopes
from tensorflow.framework import dtypes as _dtypes
from tensorflow.framework.context import current, ipu_of, placed
from tensorflow.python.ipu import outside


@contextlib.contextmanager
def ipu_scope(device: str) -> typing.Iterator[None]:
    """Operations in here are for an IPU: "/device:IPU:0"."""
    if "IPU" not in str(device).upper():
        raise ValueError(f"ipu_scope needs an IPU device such as /device:IPU:0, not {device!r}.")
    with scopes.device(device):
        yield


@contextlib.contextmanager
def ipu_shard(index: int | typing.Sequence[int]) -> typing.Iterator[None]:
    """Operations in here are on this IPU of the device."""
    index = index[0] if isinstance(index, (list, tuple)) else index
    if not isinstance(index, int) or index < 0:
        raise ValueError(f"A shard is a number from 0 on, not {index!r}.")
    with placed(shard=index):
        yield


@contextlib.contextmanager
def ipu_jit_scope(ipu_scope: str) -> typing.Iterator[None]:
    """Everything for an IPU is compiled, in here and elsewhere."""
    yield


def frontend_attribute(attribute_name: Any, attribute_value: Any, restore_to: Any = None) -> NoReturn:
    """Operations made within have this attribute."""
    raise NotImplementedError("scopes.frontend_attribute is not there: XLA, whose attributes it sets, is not beneath this "
                              "package.")


@contextlib.contextmanager
def outside_compilation_scope(name: str = "outside") -> typing.Iterator[None]:
    """In a compiled function: the host computes what is made within, and its gradients, while the program waits."""
    with outside.computed_outside(name):
        yield


@contextlib.contextmanager
def stochastic_rounding(override: bool) -> typing.Iterator[None]:
    """Operations made within, and their gradients, round at random or to the nearest number, whatever IPUConfig says of the
    others."""
    with _computed(__stochastic_rounding=int(bool(override))):
        yield


@contextlib.contextmanager
def partials_type(override: Any) -> typing.Iterator[None]:
    """Convolutions and products made within, and their gradients, gather their sums in this type, float16 or float32."""
    name = _dtypes.as_dtype(override).name
    if name not in ("float16", "float32"):
        raise ValueError(f"partials_type is float16 or float32, not {name}.")
    with _computed(__partials_type="half" if name == "float16" else "float"):
        yield


def _computed(**how):
    return placed(computed={**current.computed, **how})


def device_index() -> int | None:
    """Of the IPU scope that is open, or None."""
    return ipu_of(current.device)
