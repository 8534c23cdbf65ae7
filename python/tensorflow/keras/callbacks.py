# SPDX-License-Identifier: MIT
"""Callbacks of fit, evaluate and predict, and the list that calls them."""
from tensorflow import _names
from tensorflow.keras.engine.progress import ProgbarLogger  # noqa: F401
from tensorflow.keras.engine.callback_base import BaseLogger, Callback, CallbackList, History  # noqa: F401
from tensorflow.keras.engine.callbacks_more import (CSVLogger, EarlyStopping, LambdaCallback,  # noqa: F401
                                                    LearningRateScheduler, ModelCheckpoint, ReduceLROnPlateau,
                                                    TensorBoard, TerminateOnNaN)

_names.lazy(globals(), {})
