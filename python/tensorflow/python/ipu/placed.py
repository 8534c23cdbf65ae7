# SPDX-License-Identifier: MIT
"""Programs of what a graph of TensorFlow 1 places on an IPU, without ipu_compiler."""
import numpy as np
import popart

from tensorflow.framework.execution import Executable, Settings
from tensorflow.python.ipu import system


def executable(part, index, shards, make=None):
    """On all IPUs of the device: every replica computes the same. make: of the class that it is."""
    device = system.device(index)
    ipus = max(shards, default=0) + 1
    size = 1 << (ipus - 1).bit_length()
    if device.ipus % size:
        raise ValueError(f"Current device has {device.ipus} IPUs attached, however the current model requires a multiple "
                         f"of {size} IPUs.")
    device.norm_replicas(device.ipus // size)

    def adapt(options):
        if ipus > 1:
            options.virtualGraphMode = popart.VirtualGraphMode.Manual
    return (make or _Placed)(part, device, Settings(1, device.ipus // size, returned="Final", name="cluster", adapt=adapt))


class _Placed(Executable):
    def __call__(self, arrays):
        replicas = self.settings.replicas
        if replicas == 1:
            return super().__call__(arrays)
        arrays = [np.ascontiguousarray(np.broadcast_to(a, (replicas, *np.shape(a)))) for a in arrays]
        return [r[-1] for r in super().__call__(arrays)]
