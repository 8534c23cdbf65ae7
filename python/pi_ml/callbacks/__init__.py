# SPDX-License-Identifier: MIT
"""What happens beside a training."""
from pi_ml import paths
from pi_ml.callbacks.accumulation import GradientAccumulationScheduler
from pi_ml.callbacks.base import Callback
from pi_ml.callbacks.checkpoint import ModelCheckpoint
from pi_ml.callbacks.early_stopping import EarlyStopping
from pi_ml.callbacks.finetuning import BackboneFinetuning, BaseFinetuning
from pi_ml.callbacks.lambdas import LambdaCallback
from pi_ml.callbacks.lr_monitor import LearningRateMonitor
from pi_ml.callbacks.model_summary import ModelSummary
from pi_ml.callbacks.prediction_writer import BasePredictionWriter
from pi_ml.callbacks.progress import ProgressBar, ProgressBarBase, TQDMProgressBar
from pi_ml.callbacks.timer import Timer


def __getattr__(name):
    raise paths.missing("callbacks", name)
