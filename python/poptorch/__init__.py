# SPDX-License-Identifier: MIT
"""PopTorch for the simulated IPU: train and run models of PyTorch.

Groups of names, one import each; what is heavy (popart) is imported when it is used.
"""
import importlib as _importlib
import os as _os

try:
    from openipu import loading as _loading
except ModuleNotFoundError:
    raise ImportError("poptorch needs OpenIPU's libraries. Source the enable.sh of an SDK in this shell and start Python "
                      "again, or install the wheel openipu of the same version (pip install openipu-*.whl).") from None
_loading.require("poptorch/poptorch_core", __file__)
from poptorch.base import compat as _compat  # refuses a torch that is too old, before others use it

_os.environ.setdefault("RDMAV_FORK_SAFE", "1")

# Errors and the log.
from poptorch._logging import setLogLevel
from poptorch.errors import ConfigFileError, Error, RecoverableError, UnrecoverableError, createPoptorchError

# Models on the IPU.
from poptorch.run.models import inferenceModel, load, trainingModel
from poptorch.ops import (accessAttributes, cond, ctc_beam_search_decoder, custom_op, dynamic_slice, dynamic_update,
                          for_loop, getIpuTensorId, identity_loss, ipu_print_tensor, isRunningOnIpu, nop,
                          recomputationCheckpoint, serializedMatMul, set_available_memory, set_overlap_for_input,
                          set_overlap_for_output)
from poptorch.capture.clusters import fps, nearest
from poptorch.capture.cpu import CPU
from poptorch.capture.blocks import (Attribute, BeginBlock, Block, BlockFunction, LegacyBeginBlockFn, MultiConv, NameScope,
                             removeBlocks)

# Beside models.
from poptorch import _impl, autocasting, custom_ops, profiling, testing
from poptorch.autocasting import autocast
from poptorch.run.printing import module_repr, print  # PopTorch's name
from poptorch.version import VERSION as __version__

autocasting.register()

# Enumerations.
from poptorch.enums import (AnchorMode, AutoStage, CommGroupType, ConnectionType, DataLoaderMode,
                            HalfFloatCastingBehavior, Liveness, MatMulSerializationMode, MeanReductionStrategy,
                            MultiConvPlanType, OutputMode, OverlapMode, ReductionType, SharingStrategy, SyncPattern,
                            VariableRetrievalMode)

# Options and strategies.
from poptorch.options import Options
from poptorch.options.locations import TensorLocationSettings
from poptorch.options.strategies import (ParallelPhasedExecution, Phase, PipelinedExecution, SerialPhasedExecution,
                                 ShardedExecution, Stage)

# Hooks.
from poptorch.base.hooks import registerPostCompileHook, registerPreCompileHook

# Optimizers.
from poptorch import optim

# Arguments of models.
from poptorch.base.structure import ICustomArgParser, registerCustomArgParser, registerGeometricCustomArgParsers

# Data.
from poptorch.data.accessor import AsynchronousDataAccessor
from poptorch.data.dataloader import DataLoader

# What needs PopART is imported when it is first used.
_later = {"PoplarExecutor": "run.executor", "importPoptorchMetadataFromFile": "run.persistence",
          "ipuHardwareIsAvailable": "run.devices", "ipuHardwareVersion": "run.devices",
          "hasMLIRSupportOnPlatform": "poptorch_core", "poptorch_core": None}


def __getattr__(name):
    if name not in _later:
        raise AttributeError(f"module 'poptorch' has no attribute {name!r}")
    module = _importlib.import_module("poptorch." + (_later[name] or name))
    return module if _later[name] is None else getattr(module, name)


def __dir__():
    return sorted({*globals(), *_later})
