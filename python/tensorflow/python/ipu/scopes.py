# SPDX-License-Identifier: MIT
"""Scopes: on which IPU operations are."""
from __future__ import annotations

import contextlib
import typing

from tensorflow.framework import scopes
from tensorflow.framework import dtypes as _dtypes
from tensorflow.framework.context import current, ipu_of, placed
from tensorflow.python.ipu import system as _system
from tensorflow.python.ipu.config_enums import StochasticRoundingBehaviour as _StochasticRoundingBehaviour


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


def frontend_attribute(attribute_name, attribute_value, restore_to=None):
    """Operations made within have this attribute."""
    raise NotImplementedError("scopes.frontend_attribute is not there: XLA, whose attributes it sets, is not beneath this "
                              "package.")


def outside_compilation_scope(name="outside"):
    """Refused: it is not there."""
    raise NotImplementedError("outside_compilation_scope is not there: compute it before or after the compiled function, or "
                              "let custom_ops.cpu_user_op call a function of the host.")


@contextlib.contextmanager
def stochastic_rounding(override: bool) -> typing.Iterator[None]:
    """A program rounds in one way: that of IPUConfig, which this may repeat."""
    if bool(override) is not (_system.value("floating_point_behaviour.esr") is not _StochasticRoundingBehaviour.OFF):
        raise NotImplementedError(f"scopes.stochastic_rounding({override}) for a part of a program is not there: "
                                  "IPUConfig.floating_point_behaviour.esr sets it for the whole program.")
    yield


@contextlib.contextmanager
def partials_type(override) -> typing.Iterator[None]:
    """Convolutions and products of a program gather their sums in one type: that of IPUConfig, which this may repeat."""
    wanted = {"float16": "half", "float32": "float"}.get(_dtypes.as_dtype(override).name)
    found = {_system.value(f"{kind}.poplar_options").get("partialsType", "float") for kind in ("convolutions", "matmuls")}
    if found != {wanted}:
        raise NotImplementedError(f"scopes.partials_type({override}) for a part of a program is not there: "
                                  "IPUConfig.convolutions.poplar_options and matmuls.poplar_options set partialsType for "
                                  "the whole program.")
    yield


def device_index() -> int | None:
    """Of the IPU scope that is open, or None."""
    return ipu_of(current.device)
