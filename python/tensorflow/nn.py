# SPDX-License-Identifier: MIT
"""tf.nn"""
from tensorflow import _names
from tensorflow.ops import candidate_ops as _candidates
from tensorflow.ops import composed_ops as _composed
from tensorflow.ops import nn_more_ops as _more
from tensorflow.ops import nn_ops as _ops

_names.export(globals(), _ops, _ops.names)
_names.export(globals(), _more, _more.names)
_names.export(globals(), _candidates, _candidates.losses)
_names.export(globals(), _composed, _composed.nn)
_names.explain_missing(globals())
