# SPDX-License-Identifier: MIT
"""IPUStrategy: every step is a PopTorch model; training, validation and the rest share the module's weights."""
from __future__ import annotations

import inspect
import json
import os
from typing import Any, Dict, List, Optional, Tuple

import torch

from pi_ml import loading, precision, world
from pi_ml.compat import tree_flatten
from pi_ml.log import log, rank_zero_warn
from pi_ml.module import overrides
from pi_ml.states import RunningStage
from pi_ml.strategies.base import Strategy
from pi_ml.strategies.steps import StepModule
from pi_ml.utilities.exceptions import MisconfigurationException

_steps = {"train": "training_step", "validate": "validation_step", "test": "test_step", "predict": "predict_step"}


class IPUStrategy(Strategy):
    """Data parallel over the trainer's IPUs, times the IPUs of a model that has blocks.

    training_opts, inference_opts: your own poptorch.Options, used as they are. Otherwise the strategy makes them of
    device_iterations, the trainer's number of IPUs and accumulate_grad_batches. automatic_loss_scaling: for half
    precision, where gradients would vanish. autoreport_dir alone asks for reports too.
    """

    strategy_name = "ipu_strategy"
    # Hooks around what an IPU does in one go: nobody can be called in its midst.
    _within: Tuple[str, ...] = ("on_before_zero_grad", "on_before_backward", "on_after_backward", "on_before_optimizer_step",
                                "transfer_batch_to_device")
    _replaced = {"optimizer_zero_grad": "IPUs handle the zeroing of gradients", "backward": "IPUs handle the backward pass",
                 "optimizer_step": "IPUs handle the weight update",
                 "configure_gradient_clipping": "IPUs clip gradients by the trainer's gradient_clip_val"}
    _count_flag = "ipus"  # the trainer's flag with the number of replicas

    def __init__(self, accelerator: Any = None, device_iterations: int = 1, autoreport: bool = False,
                 autoreport_dir: Optional[str] = None, parallel_devices: Any = None, cluster_environment: Any = None,
                 checkpoint_io: Any = None, precision_plugin: Any = None, training_opts: Any = None,
                 inference_opts: Any = None, automatic_loss_scaling: bool = False) -> None:
        _check_count("device_iterations", device_iterations)
        for name, options in (("training_opts", training_opts), ("inference_opts", inference_opts)):
            _check_options(name, options)
        for name, given in (("accelerator", accelerator), ("parallel_devices", parallel_devices),
                            ("cluster_environment", cluster_environment), ("checkpoint_io", checkpoint_io),
                            ("precision_plugin", precision_plugin)):
            if given is not None:
                raise MisconfigurationException(f"IPUStrategy({name}=...) is not supported: the Trainer's flags (ipus, "
                                                "precision, callbacks) say that.")
        self.device_iterations = device_iterations
        self.autoreport = bool(autoreport or autoreport_dir)
        self.autoreport_dir = autoreport_dir
        self.automatic_loss_scaling = automatic_loss_scaling
        self._given = {"train": training_opts, "inference": inference_opts}
        self._made: Dict[str, Any] = {}
        self.poptorch_models: Dict[Any, Any] = {}  # by RunningStage, or its text: train, validate, test, predict
        self._models: Dict[str, Any] = {}
        self._active: Optional[str] = None
        self.module: Any = None
        self.trainer = None
        if self.autoreport:
            self._ask_for_reports()

    def _ask_for_reports(self):
        options = json.loads(os.environ.get("POPLAR_ENGINE_OPTIONS") or "{}")
        options["autoReport.all"] = "true"
        if self.autoreport_dir:
            os.makedirs(self.autoreport_dir, exist_ok=True)
            options["autoReport.directory"] = os.fspath(self.autoreport_dir)
        os.environ["POPLAR_ENGINE_OPTIONS"] = json.dumps(options)

    @property
    def precision_plugin(self) -> Any:
        return precision.IPUPrecisionPlugin(self.trainer.precision)

    # ---- options

    @property
    def training_opts(self) -> Any:
        """poptorch.Options of training."""
        return self._options("train")

    @property
    def inference_opts(self) -> Any:
        """poptorch.Options of validation, test and predict."""
        return self._options("inference")

    @property
    def replication_factor(self) -> int:
        """Copies of the model on other IPUs."""
        if self._active in self._models:
            return self._models[self._active].executor._options.replication_factor
        for given in self._given.values():
            if given is not None:
                return given.replication_factor
        return self.trainer.num_devices

    def _options(self, kind):
        if self._given[kind] is not None:
            return self._given[kind]
        if kind not in self._made:
            self._made[kind] = self._new_options(kind)
        return self._made[kind]

    def _new_options(self, kind):
        import poptorch  # a trainer on the CPU does without
        if world.started_by_poprun():
            import popdist.poptorch  # of poprun: only its processes need it
            options: Any = popdist.poptorch.Options()
        else:
            options = poptorch.Options()
            options.replicationFactor(self.replication_factor)
        options.deviceIterations(self.device_iterations)
        options.autoRoundNumIPUs(True)  # a model over three IPUs reserves four
        training = kind == "train"
        accumulation = self.trainer.accumulate_grad_batches if training else 1
        options.Training.gradientAccumulation(accumulation)
        if training and accumulation == 1:  # too few micro-batches for any pipeline: see _tell_placement
            options.setExecutionStrategy(poptorch.ShardedExecution(poptorch.AutoStage.SameAsIpu))
        if training and self.automatic_loss_scaling:
            options.Training.setAutomaticLossScaling(True)
        if os.environ.get("PL_GLOBAL_SEED"):
            with torch.random.fork_rng(devices=[]):  # it seeds torch as well, which goes on as it would on the CPU
                options.randomSeed(int(os.environ["PL_GLOBAL_SEED"]))
        if not self.trainer.enable_progress_bar:
            options.showCompilationProgressBar(False)
        return options

    # ---- models

    def setup(self, module: torch.nn.Module, stages: List[str]) -> None:
        super().setup(module, stages)
        if "train" in stages:
            self._check_training(module)
        self._models = {stage: _Model(self, module, stage) for stage in stages}
        self.poptorch_models = {RunningStage(stage): model.executor for stage, model in self._models.items()}
        self.model = self._models[stages[0]].step

    def _tell_ignored(self):
        """Options of the user's own are used as they are: flags that say something else do nothing."""
        options, trainer = self._given["train"], self.trainer
        if options is None:
            return
        for flag, asked, usual, used in (
                ("Trainer(accumulate_grad_batches={})", trainer.accumulate_grad_batches, 1,
                 options.Training.gradient_accumulation),
                ("IPUStrategy(device_iterations={})", self.device_iterations, 1, options.device_iterations),
                (f"Trainer({self._count_flag}={{}})", trainer.num_devices, 1, options.replication_factor),
                ("IPUStrategy(automatic_loss_scaling={})", self.automatic_loss_scaling, False,
                 options.Training.auto_loss_scaling)):
            if asked not in (usual, used):
                rank_zero_warn(f"{flag.format(asked)} is ignored: IPUStrategy(training_opts=...) are used as they are, and say "
                               f"{used}. Set it in training_opts, or leave them out.")

    def _check_training(self, module):
        trainer = self.trainer
        self._tell_ignored()
        if not module.automatic_optimization:
            raise MisconfigurationException("Manual optimization (automatic_optimization = False) does not run on IPUs: the "
                                            "backward pass and the weight update are part of the compiled program.")
        if len(trainer.optimizers) != 1:
            raise MisconfigurationException("IPUs currently only support one optimizer.")
        optimizer = trainer.optimizers[0]
        if isinstance(optimizer, torch.optim.LBFGS):
            raise MisconfigurationException("IPUs and the LBFGS optimizer are not compatible.")
        clip = trainer.gradient_clip_val
        if clip:
            if trainer.gradient_clip_algorithm == "value":
                raise MisconfigurationException("IPUs currently do not support clipping gradients by value. "
                                                "Use gradient_clip_algorithm=\"norm\".")
            optimizer.max_grad_norm = float(clip)
        for name, why in self._replaced.items():
            if self._overridden(module, name):
                rank_zero_warn(f"You have overridden the `LightningModule.{name}` hook but it will be ignored since {why}.")
        for name in self._within:
            if trainer._calls.overridden(name):
                rank_zero_warn(f"The hook `{name}` is overridden, but it is not called on IPUs: they do the whole step in "
                               "one go.")

    @staticmethod
    def _overridden(module, name):
        return overrides(module, name)

    def start(self, stage: str) -> None:
        if self._active is not None and self._active != stage:
            self.stop(self._active)
        self._active = stage
        executor = self._models[stage].executor
        if executor.isCompiled() and not executor.isAttachedToDevice():
            executor.attachToDevice()

    def stop(self, stage: str) -> None:
        executor = self._models[stage].executor
        if executor.isCompiled() and executor.isAttachedToDevice():
            executor.detachFromDevice()
        if self._active == stage:
            self._active = None

    def loader(self, stage: str, loader: Any) -> Any:
        return loading.for_ipu(loader, self._options("train" if stage == "train" else "inference"), stage)

    # ---- steps

    def train_batch(self, batch: Any, batch_idx: int) -> Any:
        model = self._models["train"]
        model.executor.setOptimizer(self.trainer.optimizers[0])  # its values may have changed in any hook
        return model(batch, batch_idx, 0), 1

    def evaluate_batch(self, stage: str, batch: Any, batch_idx: int, dataloader_idx: int) -> Any:
        return self._models[stage](batch, batch_idx, dataloader_idx)

    # ---- state

    def before_reading_weights(self) -> None:
        model = self._models.get("train")
        if model is not None:
            model.executor.copyWeightsToHostIfNeeded()

    def after_writing_weights(self) -> None:
        for model in self._models.values():
            if model.executor.isCompiled():
                model.executor.copyWeightsToDevice()

    def optimizer_state(self) -> Any:
        model = self._models.get("train")
        if model is None:
            return None
        return model.executor._read_optimizer()[0] if model.executor.isCompiled() else model.optimizer_state

    def set_optimizer_state(self, state: Any) -> None:
        if state is not None and "train" in self._models:
            self._models["train"].optimizer_state = state

    def random_state(self) -> Any:
        model = self._models.get("train")
        return model.executor._get_rng_state() if model is not None else None

    def set_random_state(self, state: Any) -> None:
        if state is not None and "train" in self._models:
            self._models["train"].executor.rng_state = state

    def teardown(self) -> None:
        for model in self._models.values():
            model.executor.destroy()
        self._models, self._active = {}, None


class _Model:
    """One stage's step on IPUs."""

    def __init__(self, strategy, module, stage):
        import poptorch  # a trainer on the CPU does without
        self._strategy, self._trainer, self._stage = strategy, strategy.trainer, stage
        self._name = _steps[stage]
        self._half = strategy.trainer.precision == 16
        options = strategy._options("train" if stage == "train" else "inference")
        self._rows = options.device_iterations * options.replication_factor
        step = StepModule(module, stage, self._name, strategy.trainer)
        if stage == "train":
            self._rows *= options.Training.gradient_accumulation
            self.executor = poptorch.trainingModel(step, options, strategy.trainer.optimizers[0])
        else:
            self.executor = poptorch.inferenceModel(step, options)
        self.step, self._spec, self._told = step, None, False
        self.optimizer_state = None  # of a checkpoint: the device gets it with the program
        self._count = _index_arguments(getattr(module, self._name))

    def __call__(self, batch, batch_idx, dataloader_idx):
        leaves, spec = tree_flatten(batch)
        if self._spec is None:
            self._begin(leaves, spec)
        elif spec != self._spec:
            raise MisconfigurationException(f"{self._name}: the batch {batch_idx} has another structure than the first one "
                                            f"({spec} instead of {self._spec}). A compiled step takes batches of one form.")
        leaves = [self._leaf(leaf) for leaf in leaves]
        for number in (batch_idx, dataloader_idx)[:self._count]:
            leaves.append(torch.full((self._rows,), number, dtype=torch.int32))
        if self.optimizer_state is not None:
            self._resume(leaves)
        results = self.executor(*leaves)
        if not self._told:
            self._tell_placement(loading.rows_of(batch))
        output, logged = self.step.unpacked(results)
        for entry, key, value in logged:
            self._trainer._log_now(entry, key, value)
        return output

    def _begin(self, leaves, spec):
        self._spec = spec
        # The executor's copy is the one that is captured.
        for step in (self.step, self.executor._model):
            step.batch_spec = (spec, self._count)
        self.step.training = self._stage == "train"
        for ours, captured in zip(self.step.modules(), self.executor._model.modules()):
            captured.training = ours.training  # as the hooks before the first step left them
        for leaf in leaves:
            if not isinstance(leaf, (torch.Tensor, int, float)):
                raise MisconfigurationException(f"{self._name}: the batch has a {type(leaf).__name__}; an IPU takes tensors "
                                                "and numbers. Leave it out in the data set or in collate_fn.")

    def _resume(self, leaves):
        self.executor.compile(*leaves)
        self.executor._write_optimizer(self.optimizer_state, {})
        self.optimizer_state = None

    def _leaf(self, leaf):
        if isinstance(leaf, torch.Tensor):
            return leaf.half() if self._half and leaf.dtype is torch.float32 else leaf
        kind = torch.int32 if isinstance(leaf, int) else torch.float16 if self._half else torch.float32
        return torch.full((self._rows,), leaf, dtype=kind)

    def _tell_placement(self, rows):
        """After the first call: what runs where."""
        self._told = True
        options = self.executor._options
        ipus = max(1, self.executor._device.numIpus // options.replication_factor)
        step = self.executor.modelledStep()
        log.info("%s runs on %s%s: %s cycles a call, %s rows/s by the machine model; the fullest tile holds %d %%.", self._name,
                 f"{ipus} IPU" + ("s" if ipus > 1 else ""),
                 f", {options.replication_factor} replicas" if options.replication_factor > 1 else "",
                 f"{step.cycles:,}", f"{rows / step.seconds:,.0f}" if step.seconds else "?",
                 100 * step.fullest_tile // step.bytes_per_tile)
        if self._stage == "train" and ipus > 1 and self._strategy._given["train"] is None \
                and options.Training.gradient_accumulation == 1:
            rank_zero_warn(f"The model is spread over {ipus} IPUs, but without gradient accumulation they cannot work at the "
                           "same time: they run one after the other, with the same numbers. Set "
                           f"Trainer(accumulate_grad_batches={2 * ipus - 1}) or more to pipeline them.")


def _index_arguments(step):
    """How many of batch_idx and dataloader_idx a step takes."""
    parameters = inspect.signature(step).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 1
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    return max(0, min(count - 1, 2))


def _check_count(name, value):
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise MisconfigurationException(f"IPUStrategy({name}={value!r}): a whole number of at least 1 is needed.")


def _check_options(name, options):
    if options is None:
        return
    import poptorch  # a trainer on the CPU does without
    if not isinstance(options, poptorch.Options):
        raise MisconfigurationException(f"IPUStrategy({name}=...) takes poptorch.Options, not {type(options).__name__}.")
