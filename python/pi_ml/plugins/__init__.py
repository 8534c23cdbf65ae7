# SPDX-License-Identifier: MIT
"""Names of earlier Lightning versions."""
from pi_ml.log import rank_zero_warn
from pi_ml.strategies.ipu import IPUStrategy


class IPUPlugin(IPUStrategy):
    """IPUStrategy's name before 1.6."""

    def __init__(self, *args, **kwargs):
        rank_zero_warn("The `pi_ml.plugins.IPUPlugin` is deprecated in v1.6. Use `pi_ml.strategies.IPUStrategy` instead.",
                       DeprecationWarning)
        super().__init__(*args, **kwargs)


class IPUPrecisionPlugin:
    """Precision 16 or 32: with 16, floats of a batch become halves before the step."""

    def __init__(self, precision):
        if precision not in (16, 32):
            raise ValueError(f"`Trainer(accelerator='ipu', precision={precision!r})` is not supported. "
                             "`precision` must be one of: (16, 32).")
        self.precision = precision
