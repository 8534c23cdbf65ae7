# SPDX-License-Identifier: MIT
"""TensorFlow's IPU configuration of an instance that poprun started."""
import os
from typing import Any, Optional

import popdist


def set_ipu_config(config: Any, ipus_per_replica: Optional[int] = None, configure_device: bool = True) -> Any:
    """Says in an IPUConfig which instance this is, and selects its IPUs. configure_device: configures the system at once.
    ipus_per_replica: what the model uses, if that is to be compared with poprun's --ipus-per-replica."""
    if os.environ.get("POPDIST_OFFLINE_MODE") == "1":
        raise RuntimeError("poprun --offline-mode does not compile programs of TensorFlow. Set device_connection.type = "
                           "DeviceConnectionType.PRE_COMPILE and run the script without poprun.")
    if ipus_per_replica is not None:
        popdist.checkNumIpusPerReplica(ipus_per_replica)
    if not popdist.isPopdistEnvSet():
        config.auto_select_ipus = max(1, ipus_per_replica or 1)
    else:
        popdist.init()
        config.auto_select_ipus, config.select_ipus = [], popdist.getDeviceId(ipus_per_replica or 0)
        here = config.experimental.multi_replica_distribution
        here.process_index, here.process_count = popdist.getInstanceIndex(), popdist.getNumInstances()
    if configure_device:
        config.configure_ipu_system()
    return config
