# SPDX-License-Identifier: MIT
"""paddle.inference: saved models on IPUs or the CPU."""
from .. import paddle_core as _core
from ..ipu import devices as _devices
from ..paddle_core import Config, DataType, Predictor, PredictorPool, get_num_bytes_of_data_type, get_version
from ..paddle_core import PredictorTensor as Tensor
from .._names import refuse_unknown


def create_predictor(config):
    """The model of a configuration on its device; programs of this process that hold IPUs make room."""
    if config.use_ipu():
        _devices.make_room(config.ipu_device_num() * config.ipu_replica_num())
    return _core.create_predictor(config)


refuse_unknown(__name__)
