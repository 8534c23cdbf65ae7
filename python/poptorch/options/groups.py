# SPDX-License-Identifier: MIT
"""Options.Training, Precision, Jit and Distributed."""
import os
from typing import Optional

import torch

from poptorch._logging import logger
from poptorch.autocasting import Policy
from poptorch.enums import HalfFloatCastingBehavior, MeanReductionStrategy, ReductionType
from poptorch.options.base import Option, OptionSet, Own, member, positive


class TrainingOptions(OptionSet):
    """Options of training alone; for inference they must be as they are at first."""

    declared = {
        "gradient_accumulation": Option(1),
        "accumulation_and_replication_reduction_type": Option(ReductionType.Mean),
        "mean_accumulation_and_replication_reduction_strategy": Option(MeanReductionStrategy.Post),
        "auto_loss_scaling": Option(False),
        "convolution_dithering": Option(False),
    }

    def __init__(self):
        super().__init__()
        self.__dict__["_mean_chosen"] = False

    def gradientAccumulation(self: Own, gradient_accumulation: int) -> Own:
        """Micro-batches per weight update."""
        self.gradient_accumulation = positive("gradientAccumulation", gradient_accumulation)
        return self

    def accumulationAndReplicationReductionType(self: Own, reduction_type: ReductionType) -> Own:
        """Sum or mean over micro-batches and replicas; NoReduction is refused."""
        if member("accumulationAndReplicationReductionType", ReductionType, reduction_type) == ReductionType.NoReduction:
            raise ValueError("accumulationAndReplicationReductionType: ReductionType.NoReduction would give every "
                             "replica weights of its own. Use Sum or Mean.")
        self.accumulation_and_replication_reduction_type = reduction_type
        return self

    def setMeanAccumulationAndReplicationReductionStrategy(self: Own, mean_reduction_strategy: MeanReductionStrategy) -> Own:
        """When a mean divides. At first: Post, or Running if the optimizer accumulates in float16."""
        member("setMeanAccumulationAndReplicationReductionStrategy", MeanReductionStrategy, mean_reduction_strategy)
        if mean_reduction_strategy == MeanReductionStrategy.PostAndLoss:
            logger.warning("MeanReductionStrategy.PostAndLoss is deprecated. Use Post or Running.")
        self.mean_accumulation_and_replication_reduction_strategy = mean_reduction_strategy
        self.__dict__["_mean_chosen"] = True
        return self

    def meanReductionStrategy(self, optimizer: Optional[torch.optim.Optimizer] = None) -> MeanReductionStrategy:
        """What was set, else what the optimizer needs."""
        if self._mean_chosen:
            return self.mean_accumulation_and_replication_reduction_strategy
        half = getattr(optimizer, "accum_type", None) is torch.float16
        combined = getattr(optimizer, "use_combined_accum", False)
        return MeanReductionStrategy.Running if half and not combined else MeanReductionStrategy.Post

    def setAutomaticLossScaling(self: Own, enabled: bool) -> Own:
        """The loss scale follows the size of gradients; `loss_scaling` becomes variable."""
        self.auto_loss_scaling = enabled
        return self

    def setConvolutionDithering(self: Own, enabled: bool) -> Own:
        """Convolutions begin at different tiles."""
        self.convolution_dithering = enabled
        return self


class PrecisionOptions(OptionSet):
    """How exactly numbers are computed."""

    declared = {
        "enable_floating_point_exceptions": Option(False),
        "enable_stochastic_rounding": Option(None, bool),
        "partials_type": Option(None, torch.dtype),
        "autocast_enabled": Option(True),
        "autocast_policy": Option(None, object),
    }

    def enableFloatingPointExceptions(self: Own, enabled: bool) -> Own:
        """NaN, infinity and overflow stop a run."""
        self.enable_floating_point_exceptions = enabled
        return self

    def enableStochasticRounding(self: Own, enabled: bool) -> Own:
        """Results in float16 go to a neighbour by chance, right on average."""
        self.enable_stochastic_rounding = enabled
        return self

    def setPartialsType(self: Own, dtype: torch.dtype) -> Own:
        """The type of partial sums of matrix products and convolutions: torch.float or torch.half."""
        if dtype not in (torch.float32, torch.float16):
            raise ValueError(f"setPartialsType takes torch.float or torch.half, not {dtype!r}.")
        self.partials_type = dtype
        return self

    def halfFloatCasting(self: Own, half_float_casting: HalfFloatCastingBehavior) -> Own:
        """Without effect: mixed operands follow PyTorch's rules since version 3.1."""
        member("halfFloatCasting", HalfFloatCastingBehavior, half_float_casting)
        self.checkIsFrozen()
        logger.warning("Options.Precision.halfFloatCasting has no effect: mixed operands follow PyTorch's rules.")
        return self

    def runningStatisticsAlwaysFloat(self: Own, enabled: bool) -> Own:
        """Without effect: running statistics have the type of their module since version 3.1."""
        Option(True).checked("runningStatisticsAlwaysFloat", enabled)
        self.checkIsFrozen()
        logger.warning("Options.Precision.runningStatisticsAlwaysFloat has no effect: they have their module's type.")
        return self

    def autocastEnabled(self: Own, autocast_enabled: bool) -> Own:
        """Whether `poptorch.autocast` casts: it does here, the vendor had it until version 3.0."""
        self.autocast_enabled = autocast_enabled
        return self

    def autocastPolicy(self: Own, policy: Policy) -> Own:
        """Which operators `poptorch.autocast` casts; the vendor had it until version 3.0."""
        self.autocast_policy = policy
        return self


class JitOptions(OptionSet):
    """What the vendor had until version 3.0."""

    def traceModel(self: Own, trace_model: bool) -> Own:
        """Refused: `True`, since models are no longer captured by torch.jit.trace."""
        self.checkIsFrozen()
        if Option(False).checked("traceModel", trace_model):
            raise ValueError("Jit.traceModel(True): models are no longer captured by torch.jit.trace. "
                             "Leave the option out.")
        logger.warning("Jit.traceModel(False) is deprecated: it is always so.")
        return self


def _number(variable, otherwise):
    """What a variable of the environment holds."""
    text = os.environ.get(Option("").checked("setEnvVarNames", variable), "")
    try:
        return int(text) if text else otherwise
    except ValueError:
        raise ValueError(f"The variable {variable} must hold a number, not {text!r}.") from None


class DistributedOptions(OptionSet):
    """Several processes that train together. The number and count come from Open MPI's variables at first."""

    declared = {"num_distributed_processes": Option(1), "distributed_process_id": Option(0)}

    def __init__(self):
        super().__init__()
        self.setEnvVarNames("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK")

    def disable(self: Own) -> Own:
        """One process alone, whatever the environment says."""
        return self.configureProcessId(0, 1)

    def setEnvVarNames(self: Own, var_num_processes: str, var_process_id: str) -> Own:
        """The variables that hold how many processes there are, and which this is; a DataLoader takes its part of the data."""
        return self.configureProcessId(_number(var_process_id, 0), _number(var_num_processes, 1))

    def configureProcessId(self: Own, process_id: int, num_processes: int) -> Own:
        """This process as one of this many, which mpirun or poprun started: each has `replicationFactor` replicas of one model
        (docs/distributed.md)."""
        num_processes = positive("configureProcessId: num_processes", num_processes)
        process_id = Option(0).checked("configureProcessId: process_id", process_id)
        if not 0 <= process_id < num_processes:
            raise ValueError(f"configureProcessId: the process {process_id} is not one of {num_processes}, "
                             f"which are numbered 0 to {num_processes - 1}.")
        self.distributed_process_id = process_id
        self.num_distributed_processes = num_processes
        return self

    @property
    def processId(self) -> int:
        return self.distributed_process_id

    @property
    def numProcesses(self) -> int:
        return self.num_distributed_processes
