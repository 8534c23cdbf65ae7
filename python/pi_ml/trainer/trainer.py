# SPDX-License-Identifier: MIT
"""Trainer: the flags, the four calls, and what can be asked of a running training."""
from __future__ import annotations

import contextlib
import copy
import datetime
import inspect
import os
import signal
import threading
from typing import Any, Dict, List, Optional, Union

import torch

from pi_ml import checkpoints, flags, loading, logging_rules, world
from pi_ml.accelerators import IPUAccelerator, made
from pi_ml.arguments import FromArguments
from pi_ml.callbacks import standard, timer
from pi_ml.calls import Calls
from pi_ml.datamodule import LightningDataModule
from pi_ml.evaluating import Evaluation
from pi_ml.fitting import Fit
from pi_ml.log import log, rank_zero_warn
from pi_ml.loggers import loggers_of
from pi_ml.module import LightningModule, overrides
from pi_ml.optimizers import configured
from pi_ml.results import Results, number, single
from pi_ml.seeding import random_states, set_random_states
from pi_ml.states import RunningStage, TrainerFn, TrainerState, TrainerStatus
from pi_ml.utilities.exceptions import MisconfigurationException
from pi_ml.version import VERSION

_unsure = "Trainer.{0}() needs a module: trainer.{0}(model, ...); there was no fit before that it could come from."


class Trainer(FromArguments):
    """Trains, validates, tests and predicts with a LightningModule.

    ipus=N: on N IPUs, data parallel, times the IPUs of a model with blocks; without it on the CPU, with plain torch.
    limit_*_batches: whole numbers of batches, or shares. max_time: "DD:HH:MM:SS", a timedelta or its arguments.
    """

    def __init__(self, logger: Any = True, enable_checkpointing: bool = True, callbacks: Any = None,
                 default_root_dir: Union[str, os.PathLike, None] = None, gradient_clip_val: Union[int, float, None] = None,
                 gradient_clip_algorithm: Optional[str] = None, devices: Union[int, str, List[int], None] = None,
                 ipus: Optional[int] = None, accelerator: Union[str, Any, None] = None, strategy: Union[str, Any, None] = None,
                 precision: Union[int, str] = 32, max_epochs: Optional[int] = None, min_epochs: Optional[int] = None,
                 max_steps: int = -1, min_steps: Optional[int] = None,
                 max_time: Union[str, datetime.timedelta, Dict[str, int], None] = None,
                 limit_train_batches: Union[int, float, None] = None, limit_val_batches: Union[int, float, None] = None,
                 limit_test_batches: Union[int, float, None] = None, limit_predict_batches: Union[int, float, None] = None,
                 overfit_batches: Union[int, float] = 0.0, fast_dev_run: Union[int, bool] = False,
                 val_check_interval: Union[int, float, None] = None, check_val_every_n_epoch: Optional[int] = 1,
                 log_every_n_steps: int = 50, num_sanity_val_steps: int = 2,
                 accumulate_grad_batches: Union[int, Dict[int, int], None] = None, enable_progress_bar: bool = True,
                 enable_model_summary: bool = True, deterministic: Union[bool, str, None] = False,
                 reload_dataloaders_every_n_epochs: int = 0, profiler: Any = None, plugins: Any = None,
                 resume_from_checkpoint: Optional[str] = None, ckpt_path: Optional[str] = None,
                 weights_save_path: Optional[str] = None, **others: Any) -> None:
        enable_checkpointing, enable_model_summary, enable_progress_bar, callbacks = flags.of_older(
            others, enable_checkpointing, enable_model_summary, enable_progress_bar, callbacks)
        flags.refuse_unknown(others, inspect.signature(Trainer.__init__).parameters)
        flags.refuse_both("strategy", strategy, "plugins", plugins)
        flags.refuse_both("default_root_dir", default_root_dir, "weights_save_path", weights_save_path)
        flags.refuse_both("ckpt_path", ckpt_path, "resume_from_checkpoint", resume_from_checkpoint)
        strategy = strategy if strategy is not None else plugins
        kind, self.num_devices = flags.devices(accelerator, devices, ipus, strategy)
        self.accelerator = made(kind)
        self.strategy = flags.strategy_of(strategy, kind)
        self.num_devices = flags.of_instance(kind, self.num_devices)
        if kind == "ipu":
            flags.check_replicas(self.num_devices, self.strategy)
        self.precision = flags.precision(precision, kind)
        self.accumulate_grad_batches = flags.accumulation(accumulate_grad_batches)
        self.gradient_clip_val, self.gradient_clip_algorithm = _clipping(gradient_clip_val, gradient_clip_algorithm)
        self._fast = flags.whole("fast_dev_run", int(fast_dev_run), 0)
        self.fast_dev_run = fast_dev_run
        self._limits(max_epochs, min_epochs, max_steps, min_steps)
        self._shares(limit_train_batches, limit_val_batches, limit_test_batches, limit_predict_batches, overfit_batches)
        self.val_check_interval = flags.check_interval(val_check_interval)
        self.check_val_every_n_epoch = flags.whole("check_val_every_n_epoch", check_val_every_n_epoch, 1)
        self.reload_dataloaders_every_n_epochs = flags.whole("reload_dataloaders_every_n_epochs",
                                                             reload_dataloaders_every_n_epochs, 0)
        self.log_every_n_steps = flags.whole("log_every_n_steps", log_every_n_steps, 0)
        self.num_sanity_val_steps = float("inf") if num_sanity_val_steps == -1 else flags.whole(
            "num_sanity_val_steps", num_sanity_val_steps, 0)
        self.enable_progress_bar, self.enable_model_summary = \
            bool(enable_progress_bar) and world.rank() == 0, bool(enable_model_summary) and world.rank() == 0
        self.default_root_dir = os.path.abspath(os.fspath(default_root_dir or weights_save_path or os.getcwd()))
        self.resume_from_checkpoint = ckpt_path or resume_from_checkpoint
        self.max_time = timer.parsed(max_time)
        if profiler is not None:
            raise MisconfigurationException(f"Trainer(profiler={profiler!r}): there are no profilers here. "
                                            "IPUStrategy(autoreport=True) profiles what runs on IPUs.")
        _be_deterministic(deterministic)
        self.loggers = [] if self._fast else loggers_of(logger, self.default_root_dir)
        self.callbacks = standard.completed(self, callbacks, bool(enable_checkpointing) and not self._fast)
        self._reset()
        self.strategy.connect(self)
        self._announce(kind)

    # ---- flags

    def _limits(self, max_epochs, min_epochs, max_steps, min_steps):
        if max_steps is None or not isinstance(max_steps, int) or max_steps < -1:
            raise MisconfigurationException(f"`max_steps` must be a non-negative integer or -1 (infinite steps). You passed "
                                            f"in {max_steps!r}.")
        if max_epochs is not None and (not isinstance(max_epochs, int) or max_epochs < -1):
            raise MisconfigurationException(f"`max_epochs` must be a non-negative integer or -1. You passed in {max_epochs!r}.")
        if max_epochs is None:
            if max_steps == -1 and not self._fast:
                rank_zero_warn("`max_epochs` was not set. Setting it to 1000 epochs. To train without an epoch limit, set "
                               "`max_epochs=-1`.", stacklevel=4)
            max_epochs = 1000 if max_steps == -1 else -1
        if self._fast:
            max_epochs, max_steps, min_epochs, min_steps = 1, self._fast, None, None
        self.max_epochs, self.min_epochs = max_epochs, min_epochs
        self.max_steps, self.min_steps = max_steps, min_steps

    def _shares(self, train, validate, test, predict, overfit):
        overfit = flags.share("overfit_batches", overfit)
        self.overfit_batches = overfit
        self.limit_train_batches = flags.share("limit_train_batches", train)
        self.limit_val_batches = flags.share("limit_val_batches", validate)
        self.limit_test_batches = flags.share("limit_test_batches", test)
        self.limit_predict_batches = flags.share("limit_predict_batches", predict)
        if overfit:
            self.limit_train_batches = self.limit_val_batches = overfit
        if self._fast:
            log.info("Running in `fast_dev_run` mode: will run the requested loop using %d batch(es). Logging and "
                     "checkpointing is suppressed.", self._fast)
            self.limit_train_batches = self.limit_val_batches = self.limit_test_batches = self.limit_predict_batches = \
                self._fast

    def _announce(self, kind):
        available = kind == "ipu" or IPUAccelerator.is_available()
        log.info("GPU available: False, used: False")
        log.info("TPU available: False, using: 0 TPU cores")
        log.info("IPU available: %s, using: %d IPUs", available, self.num_devices if kind == "ipu" else 0)
        log.info("HPU available: False, using: 0 HPUs")
        if available and kind != "ipu":
            rank_zero_warn("IPU available but not used. Set `accelerator` and `devices` using "
                           "`Trainer(accelerator='ipu', devices=4)`.", stacklevel=4)

    # ---- state

    def _reset(self):
        self.model: Any = None
        self.lightning_module: Any = None
        self.datamodule: Any = None
        self.optimizers, self.lr_scheduler_configs = [], []
        self.current_epoch = self.global_step = 0
        self.num_training_batches = 0
        self.should_stop = self.interrupted = False
        self.state = TrainerState()
        self.callback_metrics, self.logged_metrics, self.progress_bar_metrics = {}, {}, {}
        self.train_dataloader, self.val_dataloaders, self.test_dataloaders, self.predict_dataloaders = None, [], [], []
        self.tested_ckpt_path = self.validated_ckpt_path = self.predicted_ckpt_path = None
        self._calls: Any = None
        self._results: Any = None
        self._hook = self._recorder = None
        self._rows, self._loader_index, self._is_last_batch, self._batches_of_loader = 1, None, False, 0
        self._fit = Fit(self)

    stage = property(lambda self: self.state.stage, lambda self, stage: setattr(self.state, "stage", RunningStage(stage)))
    training = property(lambda self: self.stage is RunningStage.TRAINING)
    sanity_checking = property(lambda self: self.stage is RunningStage.SANITY_CHECKING)
    validating = property(lambda self: self.stage is RunningStage.VALIDATING)
    testing = property(lambda self: self.stage is RunningStage.TESTING)
    predicting = property(lambda self: self.stage is RunningStage.PREDICTING)
    evaluating = property(lambda self: self.stage is not None and self.stage.evaluating)
    precision_plugin = property(lambda self: self.strategy.precision_plugin)
    ipus = property(lambda self: self.num_devices if self.accelerator.name == "ipu" else 0)
    is_global_zero = property(lambda self: world.rank() == 0)
    global_rank = property(lambda self: world.rank())
    local_rank = property(lambda self: world.local_rank())
    world_size = property(lambda self: world.size())
    node_rank, num_nodes, num_gpus, gpus, tpu_cores = 0, 1, 0, None, None
    is_last_batch = property(lambda self: self._is_last_batch)
    weights_save_path = property(lambda self: self.default_root_dir)
    progress_bar_dict = property(lambda self: self.progress_bar_metrics)

    @property
    def logger(self) -> Any:
        """The first logger; None without one."""
        return self.loggers[0] if self.loggers else None

    @property
    def log_dir(self) -> Optional[str]:
        """The folder of the first logger."""
        found = self.logger.log_dir if self.logger is not None else None
        return found or self.default_root_dir

    @property
    def lr_schedulers(self) -> Any:
        """The schedulers in use."""
        return self.lr_scheduler_configs

    @property
    def num_val_batches(self) -> Any:
        """Batches of each validation loader."""
        return [loading.limited(loading.length(d), self.limit_val_batches, "limit_val_batches") for d in self.val_dataloaders]

    @property
    def num_sanity_val_batches(self) -> Any:
        """Batches of each validation loader that the check before a training takes."""
        return [min(self.num_sanity_val_steps, count) for count in self.num_val_batches]

    @property
    def estimated_stepping_batches(self) -> float:
        """Weight updates of the whole training."""
        if self.max_epochs == -1:
            return float("inf") if self.max_steps == -1 else self.max_steps
        accumulation = 1 if self.accelerator.name == "ipu" else self.accumulate_grad_batches
        per_epoch = -(-self._fit.prepared_batches() // accumulation)
        total = per_epoch * self.max_epochs
        return total if self.max_steps == -1 else min(total, self.max_steps)

    def _callback(self, kind):
        return next((c for c in self.callbacks if isinstance(c, kind)), None)

    @property
    def checkpoint_callback(self) -> Any:
        """The first ModelCheckpoint; None without one."""
        return self._callback(standard.ModelCheckpoint)

    @property
    def checkpoint_callbacks(self) -> Any:
        """All ModelCheckpoints."""
        return [c for c in self.callbacks if isinstance(c, standard.ModelCheckpoint)]

    @property
    def early_stopping_callback(self) -> Any:
        """The first EarlyStopping; None without one."""
        return self._callback(standard.EarlyStopping)

    @property
    def early_stopping_callbacks(self) -> Any:
        """All EarlyStoppings."""
        return [c for c in self.callbacks if isinstance(c, standard.EarlyStopping)]

    @property
    def progress_bar_callback(self) -> Any:
        """The progress bar; None without one."""
        return self._callback(standard.ProgressBar)

    # ---- the four calls

    def fit(self, model: torch.nn.Module, train_dataloaders: Any = None, val_dataloaders: Any = None, datamodule: Any = None,
            ckpt_path: Optional[str] = None) -> None:
        """Trains. ckpt_path: goes on from a checkpoint."""
        train_dataloaders, datamodule = _data_module_first(train_dataloaders, datamodule)
        self._check_module(model, "fit")
        self.should_stop = False
        path = ckpt_path or self.resume_from_checkpoint
        with self._running(model, datamodule, "fit"):
            self._fit.run(train_dataloaders, val_dataloaders, path)

    def validate(self, model: Optional[torch.nn.Module] = None, dataloaders: Any = None, ckpt_path: Optional[str] = None,
                 verbose: bool = True, datamodule: Any = None) -> List[Dict[str, float]]:
        """Runs validation, and returns what it logged."""
        return self._evaluate("validate", model, dataloaders, ckpt_path, verbose, datamodule)

    def test(self, model: Optional[torch.nn.Module] = None, dataloaders: Any = None, ckpt_path: Optional[str] = None,
             verbose: bool = True, datamodule: Any = None) -> List[Dict[str, float]]:
        """Runs the test, and returns what it logged."""
        return self._evaluate("test", model, dataloaders, ckpt_path, verbose, datamodule)

    def predict(self, model: Optional[torch.nn.Module] = None, dataloaders: Any = None, datamodule: Any = None,
                return_predictions: Optional[bool] = True, ckpt_path: Optional[str] = None) -> Optional[List[Any]]:
        """What predict_step returned, batch by batch; a list of those for several loaders."""
        return self._evaluate("predict", model, dataloaders, ckpt_path, return_predictions, datamodule)

    def tune(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: there are no tuners."""
        raise MisconfigurationException("Trainer.tune: there are no tuners here. Train with several learning rates or batch "
                                        "sizes, a trainer for each.")

    @property
    def tuner(self) -> Any:
        """Refused: there are no tuners."""
        return self.tune()

    def _evaluate(self, stage, model, dataloaders, path, verbose, datamodule):
        dataloaders, datamodule = _data_module_first(dataloaders, datamodule)
        given = model is not None
        model = model if given else self.lightning_module
        if model is None:
            raise MisconfigurationException(_unsure.format(stage))
        self._check_module(model, stage)
        datamodule = datamodule if datamodule is not None or dataloaders is not None else self.datamodule
        path = self._evaluated_checkpoint(path, given, stage)
        with self._running(model, datamodule, stage):
            if path is not None:
                log.info("Restoring states from the checkpoint path at %s", path)
                checkpoints.load_weights(model, checkpoints.read(path)["state_dict"], path)
            loop = Evaluation(self, stage)
            loop.prepare(dataloaders)
            self.strategy.setup(model, (stage,))
            return loop.run_alone(verbose)

    def _evaluated_checkpoint(self, path, given, stage):
        """ckpt_path of an evaluation as a file: "best" and "last" are those of the checkpoint callback."""
        if path is None and (given or self.checkpoint_callback is None or not self.checkpoint_callback.best_model_path):
            return None
        if path in (None, "best", "last"):
            callback = self.checkpoint_callback
            if callback is None:
                raise MisconfigurationException(f"`.{stage}(ckpt_path=\"{path}\")` is set but `ModelCheckpoint` is not "
                                                "configured.")
            found = callback.last_model_path if path == "last" else callback.best_model_path
            if not found:
                raise MisconfigurationException(f"`.{stage}(ckpt_path=\"{path}\")` is set but `ModelCheckpoint` has saved "
                                                "nothing yet. Call trainer.fit first, or give the path of a file.")
            path = found
        return path

    @contextlib.contextmanager
    def _running(self, module, datamodule, what):
        """Hooks around every call; an interrupted one ends in order, a failed one frees the IPUs."""
        self.model = self.lightning_module = self.strategy.model = module
        module.trainer, module.precision = self, self.precision
        self.datamodule = datamodule
        if datamodule is not None:
            datamodule.trainer = self
        self.interrupted = False
        self.state = TrainerState(TrainerStatus.RUNNING, TrainerFn(what))
        self._attach_callbacks(module)
        try:
            self._set_up(module, datamodule, what)
            with _termination_as_interrupt():
                yield
            self.state.status = TrainerStatus.FINISHED
        except KeyboardInterrupt as interrupt:
            self.interrupted = True
            self.state.status = TrainerStatus.INTERRUPTED
            rank_zero_warn("Detected KeyboardInterrupt, attempting graceful shutdown...")
            self._calls.of_callbacks("on_exception", interrupt)
        except BaseException as problem:
            self.state.status = TrainerStatus.INTERRUPTED
            self._calls.of_callbacks("on_exception", problem)
            raise
        finally:
            self.strategy.teardown()
            self._tear_down(module, datamodule, what)
            self.state.stage = None

    def _attach_callbacks(self, module):
        from_module = loading.listed(module.configure_callbacks())
        if from_module:
            kinds = {type(c) for c in from_module}
            self.callbacks = standard.ordered([c for c in self.callbacks if type(c) not in kinds] + from_module)
        self._calls = Calls(self, module, self.callbacks)

    def _set_up(self, module, datamodule, what):
        for owner in (datamodule, module):
            if owner is not None:
                owner.prepare_data()
        if datamodule is not None:
            datamodule.setup(what)
        self._calls.of_callbacks("setup", what)
        module.setup(what)
        for logger in self._writers():
            if module.__dict__.get("_hparams_logged", False) or module.hparams:
                logger.log_hyperparams(module.hparams_initial)
            logger.log_graph(module)

    def _tear_down(self, module, datamodule, what):
        if datamodule is not None:
            datamodule.teardown(what)
        self._calls.of_callbacks("teardown", what)
        module.teardown(what)
        for logger in self._writers():
            logger.finalize("success" if self.state.finished else "interrupted" if self.interrupted else "failed")

    def _check_module(self, module, what):
        if not isinstance(module, LightningModule):
            raise TypeError(f"`Trainer.{what}()` requires a `LightningModule`, got: {type(module).__qualname__}")
        if what == "fit":
            for name in ("training_step", "configure_optimizers"):
                if not overrides(module, name):
                    raise MisconfigurationException(f"No `{name}()` method defined. The trainer expects as minimum "
                                                    "`training_step()`, `train_dataloader()` and `configure_optimizers()` "
                                                    "to be defined.")
        elif what != "predict":
            name = {"validate": "validation_step", "test": "test_step"}[what]
            if not overrides(module, name):
                raise MisconfigurationException(f"No `{name}()` method defined to run `Trainer.{what}`.")

    def _configure_optimizers(self):
        self.optimizers, self.lr_scheduler_configs = configured(self.lightning_module.configure_optimizers(),
                                                                self.lightning_module)

    # ---- logging

    def _logging_from(self, hook):
        return _Hook(self, hook)

    def _when_logged(self, on_step, on_epoch, name):
        return logging_rules.when(self._hook, on_step, on_epoch, name)

    @contextlib.contextmanager
    def _recording(self, _module):
        """Within: self.log keeps tensors instead of reading them. Gives the list of what was logged."""
        before, self._recorder = self._recorder, []
        try:
            yield self._recorder
        finally:
            self._recorder = before

    def _log(self, entry, value, add_index):
        if self._recorder is not None:
            self._recorder.append((entry, add_index, value))
        else:
            self._log_now(entry, add_index, value)

    def _log_now(self, entry, add_index, value):
        index = self._loader_index
        key = None if index is None or not add_index else f"{entry.name}/dataloader_idx_{index}"
        self._results.log(entry, single(value, entry.name), entry.batch_size or self._rows, key)

    def _show(self, entry, name, value, logged):
        """One metric, to callbacks, bar and (collected in `logged`) the loggers."""
        self.callback_metrics[name] = value
        if entry.prog_bar:
            self.progress_bar_metrics[name] = value
        if entry.logger:
            logged[name] = value

    def _to_loggers(self, metrics, step):
        if not metrics:
            return
        self.logged_metrics.update(metrics)
        if self._writers():
            values = {name: number(value) for name, value in metrics.items()}
            values.setdefault("epoch", self.current_epoch)
            for logger in self._writers():
                logger.log_metrics(values, step)

    def _writers(self):
        """Loggers that write: those of the first process."""
        return self.loggers if self.is_global_zero else []

    def _new_results(self):
        self._results = Results()
        return self._results

    # ---- checkpoints

    def save_checkpoint(self, filepath: Union[str, os.PathLike], weights_only: bool = False,
                        storage_options: Any = None) -> None:
        """All that a training needs to go on with the same numbers; or only the weights."""
        if self.lightning_module is None:
            raise AttributeError("Saving a checkpoint is only possible if a model is attached to the Trainer. Did you call "
                                 "`Trainer.save_checkpoint()` before calling `Trainer.{fit,validate,test,predict}`?")
        checkpoint = self._dump(weights_only)  # by all: weights of replicas elsewhere are gathered
        if self.is_global_zero:
            checkpoints.write(filepath, checkpoint)
        world.barrier()  # who reads it finds it

    def _dump(self, weights_only):
        module = self.lightning_module
        self.strategy.before_reading_weights()
        out: "dict[str, Any]" = {
            "epoch": self.current_epoch, "global_step": self.global_step, "pytorch-lightning_version": VERSION,
            "state_dict": {name: value.detach().clone() for name, value in module.state_dict().items()}}
        if not weights_only:
            out["loops"] = self._fit.state()
            out["callbacks"] = {c.state_key: c.state_dict() for c in self.callbacks if c.state_dict()}
            out["optimizer_states"] = [o.state_dict() for o in self.optimizers]
            out["lr_schedulers"] = [c["scheduler"].state_dict() for c in self.lr_scheduler_configs]
            out["random"] = random_states()
            out["device"] = {"optimizer": self.strategy.optimizer_state(), "random": self.strategy.random_state()}
        if module.hparams:
            out[module.CHECKPOINT_HYPER_PARAMS_KEY] = dict(module.hparams)
        if self.datamodule is not None and self.datamodule.state_dict():
            out[type(self.datamodule).__qualname__] = self.datamodule.state_dict()
        for callback in self.callbacks:
            state = callback.on_save_checkpoint(self, module, out)
            if state and not weights_only:
                out["callbacks"][callback.state_key] = state
        module.on_save_checkpoint(out)
        return out

    def _restore(self, path):
        """Everything of a checkpoint, before the first batch."""
        found = checkpoints.read(path)
        log.info("Restoring states from the checkpoint path at %s", path)
        module = self.lightning_module
        module.on_load_checkpoint(found)
        checkpoints.load_weights(module, found["state_dict"], path)
        if "loops" not in found or "optimizer_states" not in found:
            raise MisconfigurationException(f"Trying to restore training state but {path} contains only the model: it was "
                                            "saved with weights_only. Load it with load_from_checkpoint, and start a new fit.")
        if len(found["optimizer_states"]) != len(self.optimizers):
            raise MisconfigurationException(f"{path} has {len(found['optimizer_states'])} optimizers, the module "
                                            f"{len(self.optimizers)}.")
        for optimizer, state in zip(self.optimizers, found["optimizer_states"]):
            optimizer.load_state_dict(state)
        for config, state in zip(self.lr_scheduler_configs, found["lr_schedulers"]):
            config["scheduler"].load_state_dict(state)
        for callback in self.callbacks:
            if callback.state_key in found["callbacks"]:
                state = found["callbacks"][callback.state_key]
                callback.on_load_checkpoint(self, module, copy.deepcopy(state))
                callback.load_state_dict(copy.deepcopy(state))
        data = found.get(type(self.datamodule).__qualname__)
        if data is not None:
            self.datamodule.load_state_dict(data)
        self.current_epoch, self.global_step = found["epoch"], found["global_step"]
        self._fit.load_state(found["loops"])
        set_random_states(found["random"])
        device = found.get("device", {})
        self.strategy.set_optimizer_state(device.get("optimizer"))
        self.strategy.set_random_state(device.get("random"))


class _Hook:
    """Which hook runs: it says when what it logs is logged."""

    __slots__ = ("_trainer", "_name", "_before")

    def __init__(self, trainer, name):
        self._trainer, self._name = trainer, name

    def __enter__(self):
        self._before, self._trainer._hook = self._trainer._hook, self._name

    def __exit__(self, *_):
        self._trainer._hook = self._before


def _data_module_first(loaders, datamodule):
    """trainer.fit(model, datamodule) without the keyword."""
    if isinstance(loaders, LightningDataModule):
        return None, loaders
    if loaders is not None and datamodule is not None:
        raise MisconfigurationException("You cannot pass loaders and a datamodule at the same time.")
    return loaders, datamodule


def _clipping(value, algorithm):
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0):
        raise TypeError(f"`gradient_clip_val` should be an int or a float of at least 0. Got {value!r}.")
    if algorithm not in (None, "norm", "value"):
        raise MisconfigurationException(f"`gradient_clip_algorithm` {algorithm!r} is invalid. Allowed algorithms: norm, value.")
    return value, algorithm or "norm"


def _be_deterministic(wanted):
    if wanted:
        torch.use_deterministic_algorithms(True, warn_only=wanted == "warn")


@contextlib.contextmanager
def _termination_as_interrupt():
    """SIGTERM ends a run in order, as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
