# SPDX-License-Identifier: MIT
"""PopTorch for the simulated IPU: train and run models of PyTorch.

Groups of names, one import each; what is heavy (popart) is imported when it is used.
"""
import os as _os

_os.environ.setdefault("RDMAV_FORK_SAFE", "1")

# Errors and the log.
from poptorch._logging import setLogLevel
from poptorch.errors import ConfigFileError, Error, RecoverableError, UnrecoverableError, createPoptorchError

# Enumerations.
from poptorch.enums import (AnchorMode, AutoStage, CommGroupType, ConnectionType, DataLoaderMode,
                            HalfFloatCastingBehavior, Liveness, MatMulSerializationMode, MeanReductionStrategy,
                            MultiConvPlanType, OutputMode, OverlapMode, ReductionType, SharingStrategy, SyncPattern,
                            VariableRetrievalMode)

# Options and strategies.
from poptorch.options import Options
from poptorch.options_locations import TensorLocationSettings
from poptorch.strategies import (ParallelPhasedExecution, Phase, PipelinedExecution, SerialPhasedExecution,
                                 ShardedExecution, Stage)

# Hooks.
from poptorch.hooks import registerPostCompileHook, registerPreCompileHook

# Optimizers.
from poptorch import optim
