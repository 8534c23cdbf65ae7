# SPDX-License-Identifier: MIT
"""Policies: what layers compute in, and what their variables are."""
from tensorflow import _names
from tensorflow.framework import dtypes
from tensorflow.keras import backend

_state = {}
__path__ = ()  # mixed_precision.policy has the same names (tensorflow/_aliases.py)


class Policy:
    def __init__(self, name):
        self.name = name
        if name == "mixed_float16":
            self.compute_dtype, self.variable_dtype = "float16", "float32"
        elif name == "_infer":
            self.compute_dtype = self.variable_dtype = None
        else:
            self.compute_dtype = self.variable_dtype = dtypes.as_dtype(name).name

    def get_config(self):
        return {"name": self.name}

    def __repr__(self):
        return f'<Policy "{self.name}">'


def policy_of(dtype):
    if isinstance(dtype, Policy):
        return dtype
    if isinstance(dtype, dict):
        return Policy(dtype["config"]["name"] if "config" in dtype else dtype["name"])
    if dtype is not None:
        return Policy(dtype if isinstance(dtype, str) else dtypes.as_dtype(dtype).name)
    return _state.get("policy") or Policy(backend.floatx())


def global_policy():
    return policy_of(None)


def set_global_policy(policy):
    _state["policy"] = None if policy is None else policy_of(policy)


class experimental:
    Policy = Policy
    set_policy = staticmethod(set_global_policy)
    global_policy = staticmethod(global_policy)


_names.lazy(globals(), {"LossScaleOptimizer": "tensorflow.keras.loss_scale:LossScaleOptimizer"})
