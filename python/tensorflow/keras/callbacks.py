# SPDX-License-Identifier: MIT
"""Callbacks of fit, evaluate and predict, and the list that calls them."""
from tensorflow import _names
from tensorflow.keras.engine.callback_base import BaseLogger, Callback, History  # noqa: F401
from tensorflow.keras.engine.callback_list import CallbackList  # noqa: F401
from tensorflow.keras.engine.callbacks_more import (CSVLogger, EarlyStopping, LambdaCallback,  # noqa: F401
                                                    LearningRateScheduler, ModelCheckpoint, ReduceLROnPlateau,
                                                    TensorBoard, TerminateOnNaN)
from tensorflow.keras.engine.progress import ProgbarLogger  # noqa: F401

_names.explain_missing(globals())
