# SPDX-License-Identifier: MIT
"""PopART's session options for a model: what the options, the strategy and the optimizer say, in this order; what
Options._Popart.set says comes last and wins."""
import logging

import popart
import torch
from popart import _settings
from popart_core import runtime

from poptorch._logging import logger
from poptorch.base.current import inner_name
from poptorch.base.translate import translated
from poptorch.errors import createPoptorchError
from poptorch.options import Options

# Names that programs use for options of PopTorch's own or of older versions; None: nothing here depends on it.
_OTHER_NAMES = {"defaultPrefetchBufferingDepth": "defaultBufferingDepth", "saveInitializersToFile": None}
_LOCATIONS = {"location_activation": "activationTensorLocationSettings", "location_weight": "weightTensorLocationSettings",
              "location_optimizer": "optimizerStateTensorLocationSettings",
              "location_accumulator": "accumulatorTensorLocationSettings"}


def sessionOptions(options, training: bool, placer=None, optimizer=None):
    """(popart.SessionOptions, popart.Patterns). placer: of the model's capture; optimizer: decides how a mean is taken."""
    out = popart.SessionOptions()
    _run(out, options)
    _precision(out, options)
    _locations(out, options)
    if training:
        _training(out, options, optimizer)
    if placer is not None:
        _strategy(out, options.execution_strategy, placer, training)
    for name, value in options._Popart.options.items():
        if name != "instrumentWithHardwareCycleCounter" or value:
            _set(out, name, value)
    if logger.isEnabledFor(logging.DEBUG):
        _log(out, popart.SessionOptions())
    return out, _patterns(options._Popart.patterns_level, options._Popart.patterns)


def _log(out, plain):
    """What differs from the values at first."""
    for name in sorted(vars(type(out))):
        value = None if name.startswith("_") else getattr(out, name)
        if isinstance(value, (bool, int, float, str)) or hasattr(value, "name"):
            if value != getattr(plain, name):
                logger.debug("%s set to value %s", name, int(value) if isinstance(value, bool) else value)
        elif isinstance(value, (dict, list)) and value and value != getattr(plain, name):
            logger.debug("%s set to value %s", name, value)


def _run(out, options):
    runtime.set_replicas(out, options.replication_factor, *options._shareOfReplicas())
    runtime.keep_executables(out, options.executable_cache or "")
    if options.synthetic_data:
        out.syntheticDataMode = popart.SyntheticDataMode.RandomNormal
    if options.profile_dir is not None:
        _profiling(out, options.profile_dir)
    out.instrumentWithHardwareCycleCounter = options.log_cycle_count
    out.logDir = options.log_dir
    if options.updatable_named_buffers:
        out.updatableNamedBuffers = list(map(inner_name, options.updatable_named_buffers))


def _profiling(out, folder):
    """POPLAR_ENGINE_OPTIONS is stronger."""
    out.engineOptions.update({"autoReport.all": "true", "autoReport.directory": folder, "debug.allowOutOfMemory": "true"})


def _precision(out, options):
    precision = options.Precision
    out.enableFloatingPointChecks = precision.enable_floating_point_exceptions
    out.enableStochasticRounding = bool(precision.enable_stochastic_rounding)
    out.enableStableNorm = options.stable_norm
    if precision.partials_type is not None:
        name = "half" if precision.partials_type is torch.float16 else "float"
        out.partialsTypeMatMuls = name
        out.convolutionOptions["partialsType"] = name


def _locations(out, options):
    if options.TensorLocations.num_io_tiles is not None:
        out.numIOTiles = options.TensorLocations.num_io_tiles
    for name, field in _LOCATIONS.items():
        wanted = getattr(options.TensorLocations, name)
        if wanted is not None:
            _locate(getattr(out, field), wanted)


def _locate(settings, wanted):
    where, tiles = settings.location, popart.TileSet
    if wanted.on_chip is not None:
        where.storage = popart.TensorStorage.OnChip if wanted.on_chip else popart.TensorStorage.OffChip
    if wanted.replicated_tensor_sharding is not None:
        sharding = popart.ReplicatedTensorSharding
        where.replicatedTensorSharding = sharding.On if wanted.replicated_tensor_sharding else sharding.Off
    if wanted.io_tiles_load is not None:
        where.loadTileSet = tiles.IO if wanted.io_tiles_load else tiles.Compute
    if wanted.io_tiles_store is not None:
        where.storageTileSet = tiles.IO if wanted.io_tiles_store else tiles.Compute
    if wanted.min_elements_for_off_chip is not None:
        settings.minElementsForOffChip = wanted.min_elements_for_off_chip
    if wanted.min_elements_for_replicated_tensor_sharding is not None:
        settings.minElementsForReplicatedTensorSharding = wanted.min_elements_for_replicated_tensor_sharding


def _training(out, options, optimizer):
    training = options.Training
    out.enableGradientAccumulation = training.gradient_accumulation > 1
    out.accumulationFactor = training.gradient_accumulation
    out.accumulationAndReplicationReductionType = popart.ReductionType(
        int(training.accumulation_and_replication_reduction_type))
    out.meanAccumulationAndReplicationReductionStrategy = popart.MeanReductionStrategy(
        int(training.meanReductionStrategy(optimizer)))
    out.automaticLossScalingSettings.enabled = training.auto_loss_scaling
    if training.convolution_dithering:
        out.convolutionOptions["enableConvDithering"] = "true"


def _strategy(out, strategy, placer, training):
    modes = popart.VirtualGraphMode
    # A backward pass that begins in a phase of its own is one phase further away.
    phases = strategy.phases + (training and strategy.separate_backward_phase) if strategy.phased else 1
    if phases > 1:
        out.virtualGraphMode = modes.ExecutionPhases
        out.executionPhaseSettings.phases = phases
        out.executionPhaseSettings.stages = strategy.stages
        if not strategy.off_chip:
            return
        for field in list(_LOCATIONS.values())[:3]:
            if getattr(out, field).location.storage == popart.TensorLocation().storage:
                getattr(out, field).location.storage = popart.TensorStorage.OffChip
    elif placer.ipus > 1:
        out.virtualGraphMode = modes.Manual
        out.enablePipelining = placer.pipelined
        if placer.pipelined and training:
            out.autoRecomputation = popart.RecomputationType.Pipeline


def _set(out, name, value):
    """One option by its name, whatever its type."""
    path = _OTHER_NAMES.get(name, name)
    if path is None:
        return
    try:
        _settings.set_option(out, path, value, name)
    except ValueError as error:
        raise createPoptorchError(str(error)) from None


def _patterns(level, wanted):
    levels = popart.PatternsLevel
    out = popart.Patterns((levels.NoPatterns, levels.Minimal, levels.Default, levels.All)[level])
    for name, on in wanted.items():
        out.enablePattern(name, on)
    return out


def validate(values: dict):
    """poptorch.Error unless all are options, with values that they can have; as Options.toDict() has them."""
    whole = Options()
    known = {name: option for part in (whole, *whole._parts()) for name, option in part.declared.items()}
    session = popart.SessionOptions()
    for name, value in values.get("popart_options", {}).items():
        _set(session, name, value)
    with translated():
        _patterns(values.get("patterns_level", 2), values.get("patterns", {}))
    for name in sorted(values.keys() - {"popart_options", "execution_strategy"}):
        if name not in known:
            raise createPoptorchError(f"There is no option {name!r} of a model.")
        try:
            known[name].checked(name, values[name])
        except TypeError as problem:
            raise createPoptorchError(str(problem)) from problem
