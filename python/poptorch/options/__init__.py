# SPDX-License-Identifier: MIT
"""Options: how a model runs. A method's docstring says what it does here, or begins with "Without effect:" or "Refused:" and
says why; docs/poptorch-options.md is written from them.

Setters give the options back, so that calls can be chained; values are read as attributes with small letters
(opts.device_iterations). A model or a DataLoader that gets options freezes them.
"""
import os

import torch

from poptorch import _logging
from poptorch.enums import CommGroupType, OutputMode
from poptorch.errors import ConfigFileError  # programs catch poptorch.options.ConfigFileError
from poptorch.options import config
from poptorch.options.base import Option, Own, member, positive, seed, texts
from poptorch.options.device import DeviceOptions
from poptorch.options.groups import DistributedOptions, JitOptions, PrecisionOptions, TrainingOptions
from poptorch.options.locations import PopartOptions, TensorLocationOptions

_DistributedOptions = DistributedOptions  # the vendor's name
_EXCLUDED = ["install/poptorch", "site-packages/torch", "dist-packages/torch"]


class Options(DeviceOptions):
    """Options of poptorch.trainingModel, inferenceModel and DataLoader."""

    declared = {
        **DeviceOptions.declared,
        "device_iterations": Option(1),
        "replication_factor": Option(1),
        "input_group_size": Option(1),
        "input_cgt": Option(CommGroupType.Consecutive),
        "output_mode": Option(OutputMode.Default),
        "output_return_period": Option(1),
        "anchored_tensors": Option({}),
        "random_seed": Option(None, int),
        "executable_cache": Option(None, str),
        "synthetic_data": Option(False),
        "profile_dir": Option(None, str),
        "log_cycle_count": Option(False),
        "stable_norm": Option(False),
        "model_name": Option(None, str),
        "log_dir": Option("."),
        "max_repeat_logs": Option(4, (int, type(None))),
        "show_compilation_progress_bar": Option(True),
        "relax_optimizer_checks": Option(False),
        "module_namescope_enabled": Option(True),
        "source_location_excludes": Option(_EXCLUDED),
    }
    groups = ("_training", "_precision", "_jit", "_distributed", "_locations", "_popart")

    def __init__(self):
        super().__init__()
        self.__dict__.update(_training=TrainingOptions(), _precision=PrecisionOptions(), _jit=JitOptions(),
                             _distributed=DistributedOptions(), _locations=TensorLocationOptions(),
                             _popart=PopartOptions())
        self.executable_cache = os.environ.get("POPTORCH_CACHE_DIR") or None
        if os.environ.get("POPTORCH_DEFAULT_OPTIONS"):
            self.from_json(os.environ["POPTORCH_DEFAULT_OPTIONS"])

    # ---- groups

    @property
    def Training(self) -> TrainingOptions:
        """Options of training alone."""
        return self._training

    @property
    def Precision(self) -> PrecisionOptions:
        """How exactly numbers are computed."""
        return self._precision

    @property
    def Jit(self) -> JitOptions:
        """What the vendor had until version 3.0."""
        return self._jit

    @property
    def Distributed(self) -> DistributedOptions:
        """Several processes that train together."""
        return self._distributed

    @property
    def TensorLocations(self) -> TensorLocationOptions:
        """Where tensors are kept."""
        return self._locations

    @property
    def _Popart(self) -> PopartOptions:
        """PopART's session options by their names."""
        return self._popart

    # ---- batches, replicas, results

    def deviceIterations(self: Own, device_iterations: int) -> Own:
        """Batches that the device goes through in a call."""
        self.device_iterations = positive("deviceIterations", device_iterations)
        return self

    def replicationFactor(self: Own, replication_factor: int) -> Own:
        """Copies of the model on IPUs of their own, each with data of its own."""
        self.replication_factor = positive("replicationFactor", replication_factor)
        return self

    def _shareOfReplicas(self):
        """(first of this process's replicas, those of all processes)"""
        together = self.Distributed
        return together.processId * self.replication_factor, together.numProcesses * self.replication_factor

    def inputReplicaGrouping(self: Own, input_group_size: int, input_cgt: CommGroupType) -> Own:
        """Replicas of a group get the same rows; All is refused, the size divides `replicationFactor`."""
        size = positive("inputReplicaGrouping", input_group_size)
        member("inputReplicaGrouping", CommGroupType, input_cgt)
        if input_cgt == CommGroupType.All:
            raise ValueError("inputReplicaGrouping: CommGroupType.All is not possible. Use Consecutive with the "
                             "replication factor as the group's size.")
        self.input_group_size = 1 if input_cgt == CommGroupType.NoGrouping else size
        self.input_cgt = input_cgt
        return self

    def outputMode(self: Own, output_mode: OutputMode, output_return_period: "int | None" = None) -> Own:
        """Which results come back; EveryN needs a period."""
        self.output_mode, self.output_return_period = _output_mode(output_mode, output_return_period)
        return self

    def anchorMode(self: Own, anchor_mode: OutputMode, anchor_return_period: "int | None" = None) -> Own:
        """`outputMode`, as it was called before version 2.4."""
        return self.outputMode(anchor_mode, anchor_return_period)

    def defaultOutputMode(self) -> bool:
        """Whether the mode is Default: Final in training, All in inference."""
        return self.output_mode == OutputMode.Default

    def defaultAnchorMode(self) -> bool:
        """defaultOutputMode, as it was called before version 2.4."""
        return self.defaultOutputMode()

    def anchorTensor(self: Own, short_name: str, long_name: str, output_mode: "OutputMode | None" = None,
                     output_return_period: int = 1) -> Own:
        """Keeps a tensor within the model for `getAnchoredTensor(short_name)`. output_mode None: that of the options."""
        self.checkIsFrozen()
        mode, period = (None, 1) if output_mode is None else _output_mode(output_mode, output_return_period)
        self.anchored_tensors[str(short_name)] = (str(long_name), mode, period)
        return self

    # ---- numbers and files

    def randomSeed(self: Own, random_seed: int) -> Own:
        """The seed of the device, and of PyTorch."""
        self.random_seed = seed("randomSeed", random_seed)
        torch.manual_seed(self.random_seed)
        return self

    def enableExecutableCaching(self: Own, path: "str | None") -> Own:
        """The folder that keeps executables, `POPTORCH_CACHE_DIR` at first; None: they are not kept."""
        self.executable_cache = None if path is None else os.fspath(path)
        return self

    def enableSyntheticData(self: Own, enabled: bool) -> Own:
        """No data from the host: random numbers on the device."""
        self.synthetic_data = enabled
        return self

    def enableProfiling(self: Own, profile_dir: "str | None" = None) -> Own:
        """Writes profiles below this folder: engine options `autoReport.all`, `autoReport.directory` and
        `debug.allowOutOfMemory`, where `POPLAR_ENGINE_OPTIONS` does not say otherwise."""
        self.profile_dir = "." if profile_dir is None else os.fspath(profile_dir)
        return self

    def logCycleCount(self: Own, log_cycle_count: bool) -> Own:
        """Counts cycles for `PoplarExecutor.cycleCount()`."""
        self.log_cycle_count = log_cycle_count
        return self

    def enableStableNorm(self: Own, enabled: bool) -> Own:
        """Norms with two passes: slower, more exact."""
        self.stable_norm = enabled
        return self

    def modelName(self: Own, name: str) -> Own:
        """The folder of its reports."""
        self.model_name = name
        return self

    def logDir(self: Own, log_dir: str) -> Own:
        """The folder of drawings of the graph."""
        self.log_dir = os.fspath(log_dir)
        return self

    def maxRepeatLogs(self: Own, max_lines: "int | None") -> Own:
        """How often the same warning is logged, in the whole process; None: always."""
        self.max_repeat_logs = None if max_lines is None else positive("maxRepeatLogs", max_lines)
        _logging.setMaxRepeats(self.max_repeat_logs)
        return self

    def showCompilationProgressBar(self: Own, show: bool = True) -> Own:
        """Whether the bar `Graph compilation` shows how far it is."""
        self.show_compilation_progress_bar = show
        return self

    def relaxOptimizerAttributesChecks(self: Own, relax: bool = True) -> Own:
        """Attributes of optimizers that have no meaning here are logged at DEBUG, not as warnings."""
        self.relax_optimizer_checks = relax
        return self

    def disableModuleNamescope(self: Own) -> Own:
        """Operators are not named after their modules."""
        self.module_namescope_enabled = False
        return self

    def sourceLocationExcludes(self: Own, excludes: list) -> Own:
        """Without effect: operators are named after modules, not after lines of files."""
        self.source_location_excludes = texts("sourceLocationExcludes", excludes)
        return self

    def appendToLocationExcludes(self: Own, *excludes: str) -> Own:
        """Without effect: the same."""
        return self.sourceLocationExcludes(self.source_location_excludes + list(excludes))

    # ---- all together

    def loadFromFile(self: Own, filepath: str) -> Own:
        """Options from a file: one call per line, such as `Training.gradientAccumulation(8)`."""
        self.checkIsFrozen()
        config.load(self, filepath)
        return self

    def from_json(self: Own, string: str) -> Own:
        """Options from JSON: `{"deviceIterations": 2, "_Popart.set": ["name", value]}`; `POPTORCH_DEFAULT_OPTIONS` at first."""
        self.checkIsFrozen()
        config.from_json(self, string)
        return self

    def resolved(self, training: bool) -> "Options":
        """A copy whose output mode is that of training or inference; what a wrapper keeps, frozen."""
        out = self.clone()
        if out.defaultOutputMode():
            out.output_mode = OutputMode.Final if training else OutputMode.All
        return out

    def toDict(self, merged: bool = True) -> dict:
        """Everything that is set, groups included, by attribute."""
        if merged:
            assert not self.defaultOutputMode(), (
                "The output mode is not resolved: it is Final in training and All in inference. Call outputMode first.")
        out = super().toDict(merged)
        if merged:
            out["execution_strategy"] = type(self._strategy).__name__
        return out


def _output_mode(mode, period):
    """The mode and its period; both are checked."""
    member("outputMode", OutputMode, mode)
    if mode != OutputMode.EveryN:
        return mode, 1
    if period is None:
        raise ValueError("OutputMode.EveryN needs output_return_period greater than 0.")
    return mode, positive("output_return_period", period)
