# SPDX-License-Identifier: MIT
"""tf.random"""
from tensorflow import _names
from tensorflow.ops import candidate_ops as _candidates
from tensorflow.ops import random_ops as _ops
from tensorflow.ops import stateless_ops as _stateless

_names.export(globals(), _ops, _ops.names)
_names.export(globals(), _stateless, _stateless.names)
_names.export(globals(), _candidates, _candidates.samplers)
_names.explain_missing(globals())
