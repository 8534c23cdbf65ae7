# SPDX-License-Identifier: MIT
"""paddle.fluid.initializer: first values of parameters by their older names and arguments."""
from ..nn import initializer as _newer
from ..nn.initializer import Initializer, set_global_initializer
from .._names import refuse_unknown


def ConstantInitializer(value=0.0, force_cpu=False):
    return _newer.Constant(value)


def UniformInitializer(low=-1.0, high=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
    if diag_num:
        raise NotImplementedError("(Unimplemented) Uniform(diag_num=...).")
    return _newer.Uniform(low, high, seed)


def NormalInitializer(loc=0.0, scale=1.0, seed=0):
    return _newer.Normal(loc, scale, seed)


def TruncatedNormalInitializer(loc=0.0, scale=1.0, seed=0):
    return _newer.TruncatedNormal(loc, scale, seed)


def XavierInitializer(uniform=True, fan_in=None, fan_out=None, seed=0):
    return (_newer.XavierUniform if uniform else _newer.XavierNormal)(fan_in, fan_out, seed=seed)


def MSRAInitializer(uniform=True, fan_in=None, seed=0, negative_slope=0.0, nonlinearity="relu"):
    return (_newer.KaimingUniform if uniform else _newer.KaimingNormal)(fan_in, negative_slope, nonlinearity, seed)


def NumpyArrayInitializer(value):
    return _newer.Assign(value)


Constant, Uniform, Normal, TruncatedNormal, Xavier, MSRA = (
    ConstantInitializer, UniformInitializer, NormalInitializer, TruncatedNormalInitializer, XavierInitializer, MSRAInitializer)
refuse_unknown(__name__)
