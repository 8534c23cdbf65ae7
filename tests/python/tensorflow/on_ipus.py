# SPDX-License-Identifier: MIT
"""A strategy on so many IPUs; settings are those of IPUConfig."""
from tensorflow.python import ipu


def strategy(ipus=1, **settings):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    for name, value in settings.items():
        setattr(config, name, value)
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy()
