# SPDX-License-Identifier: MIT
"""PopTorch for the simulated IPU: train and run models of PyTorch.

Groups of names, one import each; what is heavy (popart) is imported when it is used.
"""
import importlib.util as _util
import os as _os

if _util.find_spec("popart_core") is None:
    raise ImportError("poptorch needs the Poplar SDK, which is not enabled: source the enable.sh of the SDK in this shell, "
                      "and start Python again.")

_os.environ.setdefault("RDMAV_FORK_SAFE", "1")

# Errors and the log.
from poptorch._logging import setLogLevel
from poptorch.errors import ConfigFileError, Error, RecoverableError, UnrecoverableError, createPoptorchError

# Models on the IPU.
from poptorch.wrapping import inferenceModel, trainingModel
from poptorch.ops import (accessAttributes, cond, ctc_beam_search_decoder, custom_op, dynamic_slice, dynamic_update,
                          for_loop, getIpuTensorId, identity_loss, ipu_print_tensor, isRunningOnIpu, nop,
                          recomputationCheckpoint, serializedMatMul, set_available_memory, set_overlap_for_input,
                          set_overlap_for_output)
from poptorch.clusters import fps, nearest
from poptorch.cpu import CPU
from poptorch.blocks import (Attribute, BeginBlock, Block, BlockFunction, LegacyBeginBlockFn, MultiConv, NameScope,
                             removeBlocks)

# Beside models.
from poptorch import _impl, autocasting, custom_ops, profiling, testing
from poptorch.autocasting import autocast
from poptorch.printing import module_repr, print  # noqa: A004 (PopTorch's name)
from poptorch.version import VERSION as __version__

autocasting.register()

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

# Arguments of models.
from poptorch.structure import ICustomArgParser, registerCustomArgParser, registerGeometricCustomArgParsers

# Data.
from poptorch.async_accessor import AsynchronousDataAccessor
from poptorch.dataloader import DataLoader

# What needs PopART is imported when it is first used.
_later = {"PoplarExecutor": "executor", "load": "persistence", "importPoptorchMetadataFromFile": "persistence",
          "ipuHardwareIsAvailable": "devices", "ipuHardwareVersion": "devices",
          "hasMLIRSupportOnPlatform": "poptorch_core", "poptorch_core": None}


def __getattr__(name):
    import importlib
    if name not in _later:
        raise AttributeError(f"module 'poptorch' has no attribute {name!r}")
    module = importlib.import_module("poptorch." + (_later[name] or name))
    return module if _later[name] is None else getattr(module, name)


def __dir__():
    return sorted({*globals(), *_later})
