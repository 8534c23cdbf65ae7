# SPDX-License-Identifier: MIT
"""The path that programs take these names from."""
from tensorflow.keras.applications.resnet import *  # noqa: F401,F403
