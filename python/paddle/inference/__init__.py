# SPDX-License-Identifier: MIT
"""paddle.inference: saved models on IPUs or the CPU."""
from ..paddle_core import Config, DataType, Predictor, PredictorPool, create_predictor, get_num_bytes_of_data_type, get_version
from ..paddle_core import PredictorTensor as Tensor
from .._names import refuse_unknown


refuse_unknown(__name__)
