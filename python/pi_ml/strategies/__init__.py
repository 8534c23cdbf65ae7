# SPDX-License-Identifier: MIT
"""Where and how a model runs."""
from pi_ml.strategies.base import Strategy
from pi_ml.strategies.cpu import SingleDeviceStrategy
from pi_ml.strategies.ipu import IPUStrategy
