# SPDX-License-Identifier: MIT
"""What happens beside a training."""
from pi_ml.callbacks.base import Callback
from pi_ml.callbacks.checkpoint import ModelCheckpoint
from pi_ml.callbacks.early_stopping import EarlyStopping
from pi_ml.callbacks.lambdas import LambdaCallback
from pi_ml.callbacks.lr_monitor import LearningRateMonitor
from pi_ml.callbacks.model_summary import ModelSummary
from pi_ml.callbacks.progress import ProgressBar, TQDMProgressBar
from pi_ml.callbacks.timer import Timer
