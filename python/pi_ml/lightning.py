# SPDX-License-Identifier: MIT
"""IPUs for Lightning 2.x, where it is installed: after `import pi_ml.lightning`, Trainer(accelerator="ipu") trains on them.

It registers an accelerator "ipu" and a strategy "ipu_strategy" with `lightning.pytorch` and with `pytorch_lightning`: with
those that are imported, or else with all that are installed. IPUStrategy and IPUAccelerator are those of the first of them. A
step is one call of a PopTorch model, as with pi_ml's own trainer; docs/pi_ml.md says what that changes.
"""
from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from typing import Any, Dict, List, Optional

import torch

from pi_ml import flags, loading, world
from pi_ml.accelerators import IPUAccelerator as OwnAccelerator
from pi_ml.results import single
from pi_ml.strategies import ipu
from pi_ml.utilities.exceptions import MisconfigurationException

_PACKAGES = ("lightning.pytorch", "pytorch_lightning")
_KEY = "openipu"  # of a checkpoint: what the device had
_stages = {"fit": "train", "validate": "validate", "test": "test", "predict": "predict"}
_precisions = {"32-true": 32, "16-true": 16, "16-mixed": 16}


class _Seen:
    """Lightning's trainer as pi_ml's strategy wants to see one."""

    def __init__(self, pl, strategy, trainer, accumulation):
        self._pl, self._strategy, self._trainer = pl, strategy, trainer
        self.accelerator, self.module = strategy.accelerator, strategy.lightning_module
        self.accumulate_grad_batches = accumulation
        self.num_devices = len(strategy.parallel_devices or [None])
        self.precision = _precisions[strategy.precision_plugin.precision]
        self.gradient_clip_val, self.gradient_clip_algorithm = trainer.gradient_clip_val, trainer.gradient_clip_algorithm
        self.enable_progress_bar = trainer.progress_bar_callback is not None
        self._calls = self

    optimizers = property(lambda self: self._strategy.optimizers)

    def overridden(self, hook):
        """Whether somebody would be called."""
        return getattr(type(self.module), hook) is not getattr(self._pl.LightningModule, hook) or any(
            getattr(type(c), hook, None) is not getattr(self._pl.Callback, hook) for c in self._trainer.callbacks)

    def _logging_from(self, _hook):
        return contextlib.nullcontext()  # Lightning knows

    @contextlib.contextmanager
    def _recording(self, module):
        """Within: self.log of the module keeps tensors, which have no values yet. Gives the list of what was logged."""
        logged: List[Any] = []

        def log(name, value, *arguments, **settings):
            if not isinstance(value, (torch.Tensor, int, float)):
                raise MisconfigurationException(f"self.log({name!r}): a step on IPUs logs tensors and numbers, not a "
                                                f"{type(value).__name__}. Update metric objects in on_train_batch_end or "
                                                "on_validation_batch_end, with what the step returned.")
            logged.append((name, (arguments, settings), value))

        modules = [m for m in module.modules() if isinstance(m, self._pl.LightningModule)]
        for each in modules:
            each.__dict__["log"] = log
        try:
            yield logged
        finally:
            for each in modules:
                del each.__dict__["log"]

    def _log_now(self, name, how, value):
        arguments, settings = how
        self.module.log(name, single(value, name), *arguments, **settings)


class _Steps(ipu.IPUStrategy):
    """pi_ml's strategy under Lightning's loops, which call more hooks around a step than pi_ml's do."""

    _within = ("on_before_backward", "on_after_backward", "on_before_optimizer_step")
    _replaced = {name: why for name, why in ipu.IPUStrategy._replaced.items()
                 if name not in ("optimizer_step", "optimizer_zero_grad")}
    _count_flag = "devices"

    def _overridden(self, module, name):
        return getattr(type(module), name) is not getattr(self.trainer._pl.LightningModule, name)


def _accelerator_of(base: Any) -> Any:
    class IPUAccelerator(base):
        """IPUs of the simulated machine."""

        def setup_device(self, device: torch.device) -> None:
            """Nothing: a model takes its IPUs when it is compiled."""

        def setup(self, trainer: Any) -> None:
            if getattr(trainer.strategy, "strategy_name", "") != ipu.IPUStrategy.strategy_name:
                raise MisconfigurationException("Trainer(accelerator=\"ipu\") works with strategy=\"ipu_strategy\", or with "
                                                "strategy=pi_ml.lightning.IPUStrategy(...), not with "
                                                f"{type(trainer.strategy).__name__}.")
            super().setup(trainer)

        def teardown(self) -> None:
            """Nothing: the strategy lets IPUs go."""

        @staticmethod
        def name() -> str:
            return "ipu"

        @staticmethod
        def parse_devices(devices: Any) -> int:
            return flags.count_of(1 if devices in (-1, "-1") else devices, "devices")

        @staticmethod
        def get_parallel_devices(devices: int) -> List[torch.device]:
            """One for each replica."""
            return [torch.device("ipu", index) for index in range(devices)]

        @staticmethod
        def auto_device_count() -> int:
            """One replica, as on the CPU: Lightning asks where no number is given."""
            return 1

        @staticmethod
        def is_available() -> bool:
            return OwnAccelerator.is_available()

        def get_device_stats(self, device: Any) -> Dict[str, Any]:
            """None: a simulated machine has no load to watch."""
            return {}

        @classmethod
        def register_accelerators(cls, accelerator_registry: Any) -> None:
            accelerator_registry.register("ipu", cls, description=cls.__doc__, override=True)

    return IPUAccelerator


def _precision_of(base: Any, usual: Any) -> Any:
    class IPUPrecision(base):
        """32-true; 16-mixed: layers compute in half, weights stay in float; 16-true: weights are halves as well."""

        def __init__(self, precision: str) -> None:
            super().__init__()
            self.precision = precision

        def convert_module(self, module: torch.nn.Module) -> torch.nn.Module:
            return module.half() if self.precision == "16-true" else module

        @classmethod
        def like(cls, plugin: Any) -> Any:
            """The one in the place of Lightning's own."""
            if isinstance(plugin, cls):
                return plugin
            if type(plugin) not in usual or plugin.precision not in _precisions:
                raise MisconfigurationException(f"{type(plugin).__name__} with precision {plugin.precision!r} does not run on "
                                                f"IPUs. Trainer(precision=...) may be {', '.join(map(repr, _precisions))}.")
            return cls(plugin.precision)

    return IPUPrecision


_Part: Any = object  # of an IPUStrategy: what it calls of its bases is Lightning's


class _Flags(_Part):
    """What the trainer's flags and the strategy's arguments say."""

    @property
    def precision_plugin(self) -> Any:
        return self._precision_plugin if self._precision_plugin is not None else self._precision_class("32-true")

    @precision_plugin.setter
    def precision_plugin(self, plugin: Any) -> None:
        self._precision_plugin = None if plugin is None else self._precision_class.like(plugin)

    training_opts = property(lambda self: self._steps.training_opts)
    inference_opts = property(lambda self: self._steps.inference_opts)
    replication_factor = property(lambda self: self._steps.replication_factor)
    device_iterations = property(lambda self: self._steps.device_iterations)
    poptorch_models = property(lambda self: self._steps.poptorch_models)


class _TrainerCalls(_Part):
    """What begins and ends with a call of the trainer."""

    def setup_environment(self) -> None:
        if not isinstance(self.accelerator, self._accelerator_class):
            raise MisconfigurationException("An IPUStrategy needs Trainer(accelerator=\"ipu\").")
        if world.size() > 1:
            raise MisconfigurationException("poprun started several processes. Lightning's trainer works with one; that of "
                                            "pi_ml with several (pi_ml.Trainer).")
        flags.check_replicas(len(self.parallel_devices or [None]), self._steps, "devices")
        super().setup_environment()

    def setup(self, trainer: Any) -> None:
        self._trainer = trainer
        call = str(getattr(trainer.state.fn, "value", trainer.state.fn))
        if call == "fit":
            self._refuse(trainer)
            # A batch of the loader has the rows of all that are accumulated, and is one step.
            self._accumulation, trainer.accumulate_grad_batches = trainer.accumulate_grad_batches, 1
        self._kept = None
        self._steps.connect(_Seen(self._pl, self, trainer, self._accumulation or 1))
        self._steps._made.clear()  # options of another trainer's flags
        super().setup(trainer)
        stages = [_stages[call]]
        if call == "fit" and self._steps._overridden(self.lightning_module, "validation_step"):
            stages.append("validate")
        self._steps.setup(self.lightning_module, stages)

    def _refuse(self, trainer):
        if not self.lightning_module.automatic_optimization:
            raise MisconfigurationException("Manual optimization (automatic_optimization = False) does not run on IPUs: "
                                            "the backward pass and the weight update are part of the compiled program.")
        if any(isinstance(c, self._pl.callbacks.GradientAccumulationScheduler) for c in trainer.callbacks):
            raise MisconfigurationException("GradientAccumulationScheduler does not run on IPUs: the number of batches is "
                                            "part of the compiled program. Use Trainer(accumulate_grad_batches=...).")

    def teardown(self) -> None:
        steps = self._steps
        if steps._models:
            try:
                steps.before_reading_weights()
                self._kept = self._device_state()
            finally:
                steps.teardown()
        if self._accumulation is not None:
            self._trainer.accumulate_grad_batches, self._accumulation = self._accumulation, None
        super().teardown()


class _Loaders(_Part):
    """Lightning's loaders, with the rows that a call takes."""

    def barrier(self, name: Optional[str] = None) -> None:
        """Lightning names here the loaders that it asks for; right after, process_dataloader gets each of them."""
        if name is not None and name.endswith("_dataloader()"):
            self._asked_loader = name
        super().barrier(name)

    def process_dataloader(self, dataloader: Any) -> Any:
        if self._steps.trainer is None:
            return dataloader
        call = str(getattr(self._trainer.state.fn, "value", self._trainer.state.fn))
        stage = _stages[call]
        if call == "fit" and (self._trainer.sanity_checking or self._trainer.validating
                              or self._asked_loader.startswith("val")):
            stage = "validate"
        return loading.for_ipu(dataloader, self._steps._options("train" if stage == "train" else "inference"), stage)


class _StepCalls(_Part):
    """Forward pass, backward pass and update are one call."""

    def training_step(self, batch: Any, batch_idx: int = 0) -> Any:
        self._start("train")
        return _one_loss(self._steps.train_batch(batch, batch_idx)[0])

    def backward(self, closure_loss: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        """Done."""
        return closure_loss

    def optimizer_step(self, optimizer: Any, closure: Any, model: Any = None, **kwargs: Any) -> Any:
        """The closure runs training_step, which steps."""
        return closure()

    def validation_step(self, *arguments: Any, **kwargs: Any) -> Any:
        return self._evaluated("validate", *arguments, **kwargs)

    def test_step(self, *arguments: Any, **kwargs: Any) -> Any:
        return self._evaluated("test", *arguments, **kwargs)

    def predict_step(self, *arguments: Any, **kwargs: Any) -> Any:
        return self._evaluated("predict", *arguments, **kwargs)

    def _evaluated(self, stage, batch, batch_idx=0, dataloader_idx=0):
        self._start(stage)
        return self._steps.evaluate_batch(stage, batch, batch_idx, dataloader_idx)

    def _start(self, stage):
        if self._steps._active != stage:
            self._steps.start(stage)


class _Checkpoints(_Part):
    """Weights, and what else a checkpoint has."""

    def lightning_module_state_dict(self) -> Dict[str, Any]:
        self._steps.before_reading_weights()
        return {name: value.detach().clone() if isinstance(value, torch.Tensor) else value
                for name, value in super().lightning_module_state_dict().items()}

    def load_model_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super().load_model_state_dict(*args, **kwargs)
        self._steps.after_writing_weights()

    def _device_state(self):
        return {"optimizer": self._steps.optimizer_state(), "random": self._steps.random_state()}

    def save_checkpoint(self, checkpoint: Dict[str, Any], filepath: Any, storage_options: Any = None) -> None:
        if "optimizer_states" in checkpoint:  # else only weights are asked for
            checkpoint[_KEY] = self._device_state() if self._steps._models else self._kept
        super().save_checkpoint(checkpoint, filepath, storage_options)

    def load_optimizer_state_dict(self, checkpoint: Any) -> None:
        super().load_optimizer_state_dict(checkpoint)
        state = checkpoint.get(_KEY) or {}
        self._steps.set_optimizer_state(state.get("optimizer"))
        self._steps.set_random_state(state.get("random"))


def _strategy_of(pl: Any, base: Any, accelerator_class: Any, precision_class: Any) -> Any:
    class IPUStrategy(_Flags, _TrainerCalls, _Loaders, _StepCalls, _Checkpoints, base):
        """Data parallel over the trainer's devices. Arguments are those of pi_ml's IPUStrategy; accelerator and
        checkpoint_io are Lightning's."""

        strategy_name = ipu.IPUStrategy.strategy_name
        _pl, _accelerator_class, _precision_class = pl, accelerator_class, precision_class

        def __init__(self, accelerator: Any = None, device_iterations: int = 1, autoreport: bool = False,
                     autoreport_dir: Optional[str] = None, parallel_devices: Any = None, cluster_environment: Any = None,
                     checkpoint_io: Any = None, precision_plugin: Any = None, training_opts: Any = None,
                     inference_opts: Any = None, automatic_loss_scaling: bool = False) -> None:
            self._steps: Any = _Steps(device_iterations=device_iterations, autoreport=autoreport,
                                      autoreport_dir=autoreport_dir, parallel_devices=parallel_devices,
                                      cluster_environment=cluster_environment, precision_plugin=precision_plugin,
                                      training_opts=training_opts, inference_opts=inference_opts,
                                      automatic_loss_scaling=automatic_loss_scaling)
            super().__init__(device="cpu", accelerator=accelerator, checkpoint_io=checkpoint_io)
            self.parallel_devices: Any = None  # Lightning sets them by the trainer's flag
            self._asked_loader = ""
            self._kept: Any = None  # of the device's optimizer, once its program is gone
            self._trainer: Any = None
            self._accumulation: Optional[int] = None  # the trainer's, while it sees one batch a step

        @classmethod
        def register_strategies(cls, strategy_registry: Any) -> None:
            strategy_registry.register(cls.strategy_name, cls, description="PopTorch on IPUs", override=True)

    return IPUStrategy


def _one_loss(output):
    """Of several iterations and replicas the mean: Lightning's loops expect one number."""
    if isinstance(output, dict):
        return {**output, "loss": _one_loss(output["loss"])}
    return output.detach().float().mean() if output.dim() else output.detach()


def _choose_by_accelerator(name, accelerator_class):
    """Trainer(accelerator="ipu") alone means IPUStrategy. Lightning has no public way to say so: where its choice has another
    name in some version, the accelerator asks for the strategy."""
    connectors = importlib.import_module(f"{name}.trainer.connectors.accelerator_connector")
    connector = getattr(connectors, "_AcceleratorConnector", None)
    choose: Any = getattr(connector, "_choose_strategy", None)
    if connector is None or choose is None:
        return

    @functools.wraps(choose)
    def chosen(self):
        return ipu.IPUStrategy.strategy_name if isinstance(self.accelerator, accelerator_class) else choose(self)

    connector._choose_strategy = chosen


_registered: Dict[str, Any] = {}


def register(name: str) -> Any:
    """(IPUAccelerator, IPUStrategy) of "lightning.pytorch" or "pytorch_lightning", registered there."""
    if name not in _registered:
        pl = importlib.import_module(name)
        version = getattr(pl, "__version__", "0")
        if int(version.split(".")[0]) < 2:
            raise ImportError(f"pi_ml.lightning works with Lightning 2.0 or later; this {name} is {version}. "
                              "pip install --upgrade lightning, or use pi_ml.Trainer.")
        accelerators = importlib.import_module(f"{name}.accelerators")
        strategies = importlib.import_module(f"{name}.strategies")
        precisions = importlib.import_module(f"{name}.plugins.precision")
        usual = tuple(getattr(precisions, kind) for kind in ("Precision", "HalfPrecision", "MixedPrecision")
                      if hasattr(precisions, kind))
        accelerator = _accelerator_of(accelerators.Accelerator)
        strategy = _strategy_of(pl, strategies.SingleDeviceStrategy, accelerator, _precision_of(precisions.Precision, usual))
        accelerator.register_accelerators(accelerators.AcceleratorRegistry)
        strategy.register_strategies(strategies.StrategyRegistry)
        _choose_by_accelerator(name, accelerator)
        _registered[name] = accelerator, strategy
    return _registered[name]


def _register_all():
    wanted = [name for name in _PACKAGES if name in sys.modules and "+openipu" not in sys.modules[name].__version__]
    found = []
    for name in wanted or _PACKAGES:
        with contextlib.suppress(ModuleNotFoundError):
            if "+openipu" not in importlib.import_module(name).__version__:  # pi_ml itself, by Lightning's name
                found.append(register(name))
    if not found:
        raise ModuleNotFoundError("pi_ml.lightning needs Lightning 2.x, but neither lightning nor pytorch_lightning is "
                                  "installed: pip install lightning. pi_ml has a trainer of its own: pi_ml.Trainer.",
                                  name="lightning")
    return found[0]


IPUAccelerator, IPUStrategy = _register_all()
