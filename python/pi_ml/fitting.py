# SPDX-License-Identifier: MIT
"""The loop of a training: epochs, batches, validation in between, schedulers; where it stands, for checkpoints."""
import math
from typing import Any

import torch

from pi_ml import loading, preparing, world
from pi_ml.evaluating import Evaluation
from pi_ml.log import log, rank_zero_warn
from pi_ml.module import overrides
from pi_ml.seeding import random_states, set_random_states
from pi_ml.utilities.exceptions import MisconfigurationException


class Fit:
    """Of one trainer. `batch` is the next batch of the epoch, so that a checkpoint says where to go on."""

    def __init__(self, trainer):
        self._trainer = trainer
        self.batch, self._epoch_done, self._epoch_random = 0, False, None
        self._resumed, self._validated_at, self._results = False, 0, None
        self._loader_given: Any = None
        self._loader: Any = None
        self._every: float = 1
        self._outputs: Any = None

    # ---- state

    def state(self):
        results = self._results
        return {"batch": self.batch, "validated_at": self._validated_at, "epoch_done": self._epoch_done,
                "epoch_random": self._epoch_random,
                "results": results.state() if results is not None else None}

    def load_state(self, state):
        self.batch, self._epoch_done, self._epoch_random = state["batch"], state["epoch_done"], state["epoch_random"]
        self._restored_results, self._validated_at = state["results"], state["validated_at"]
        self._resumed = True
        if self._epoch_done:
            self._trainer.current_epoch += 1
            self.batch, self._epoch_done = 0, False

    # ---- before

    def run(self, train_loaders, val_loaders, path):
        trainer = self._trainer
        module = trainer.lightning_module
        self._loader_given, self._resumed, self._restored_results = train_loaders, False, None
        self._prepare_loader()
        self._validation = Evaluation(trainer, "validate")
        validates = self._has_validation(module) and self._validation.prepare(val_loaders, needed=False)
        trainer._configure_optimizers()
        trainer.strategy.setup(module, ("train", "validate") if validates else ("train",))
        if path is not None:
            trainer._restore(path)
        trainer.stage = "train"
        module.train()
        trainer._calls("on_fit_start")
        if validates and trainer.num_sanity_val_steps and not self._resumed and not trainer._fast:
            self._sanity_check()
        trainer.stage = "train"
        self._train(validates)
        trainer.strategy.before_reading_weights()
        trainer._calls("on_fit_end")

    def _has_validation(self, module):
        return overrides(module, "validation_step") and self._trainer.limit_val_batches > 0

    def _prepare_loader(self):
        trainer = self._trainer
        loader = loading.source("train", self._loader_given, trainer.datamodule, trainer.lightning_module)
        loading.check_train(loader)
        if trainer.overfit_batches:
            loader = loading.overfitted(loader)
        self._loader = trainer.train_dataloader = trainer.strategy.loader("train", loader)
        batches = loading.limited(loading.length(self._loader), trainer.limit_train_batches, "limit_train_batches")
        trainer.num_training_batches = batches
        if batches == 0:
            rank_zero_warn("The train_dataloader gives no batch (or limit_train_batches is 0): nothing will be trained.")
        self._validation_interval(batches)

    def prepared_batches(self):
        if self._loader is None:
            trainer = self._trainer
            if trainer.lightning_module is None:
                raise MisconfigurationException("The number of batches is known once a trainer fits.")
            self._prepare_loader()
        return self._trainer.num_training_batches

    def _validation_interval(self, batches):
        interval = self._trainer.val_check_interval
        if isinstance(interval, int):
            if interval > batches:
                raise MisconfigurationException(f"`val_check_interval` ({interval}) must be less than or equal to the number "
                                                f"of the training batches ({batches}). If you want to disable validation set "
                                                "`limit_val_batches` to 0.0 instead.")
            self._every = interval
        elif batches == math.inf:
            if interval != 1.0:
                raise MisconfigurationException("val_check_interval must be a whole number of batches: the training loader "
                                                "has no length.")
            self._every = math.inf
        else:
            self._every = max(1, int(batches * interval))
        if batches != math.inf and 0 < batches < self._trainer.log_every_n_steps and self._trainer.loggers:
            rank_zero_warn(f"The number of training batches ({batches}) is smaller than the logging interval "
                           f"Trainer(log_every_n_steps={self._trainer.log_every_n_steps}). Set a lower value for "
                           "log_every_n_steps if you want to see logs for the training epoch.")

    def _sanity_check(self):
        trainer = self._trainer
        trainer.stage = "sanity_check"
        trainer._calls("on_sanity_check_start")
        states = random_states()
        self._validation.run(limit=trainer.num_sanity_val_steps)
        set_random_states(states)  # what a training draws does not depend on the check
        trainer._calls("on_sanity_check_end")
        for metrics in (trainer.callback_metrics, trainer.logged_metrics, trainer.progress_bar_metrics):
            metrics.clear()
        trainer.stage = "train"

    # ---- epochs

    def _train(self, validates):
        trainer = self._trainer
        trainer.strategy.start("train")
        trainer._calls("on_train_start")
        while not self._finished():
            self._epoch(validates)
            trainer.current_epoch += 1
            self.batch, self._epoch_done = 0, False
            if self._stops():
                break
        trainer._calls("on_train_end")

    def _finished(self):
        trainer = self._trainer
        if trainer.num_training_batches == 0:
            return True
        if 0 <= trainer.max_steps <= trainer.global_step:
            log.info("`Trainer.fit` stopped: `max_steps=%d` reached.", trainer.max_steps)
            return True
        if 0 <= trainer.max_epochs <= trainer.current_epoch:
            log.info("`Trainer.fit` stopped: `max_epochs=%d` reached.", trainer.max_epochs)
            return True
        return False

    def _stops(self):
        """Whether a callback ends the training; not before min_epochs and min_steps."""
        trainer = self._trainer
        trainer.should_stop = any(world.gathered(trainer.should_stop))
        if not trainer.should_stop:
            return False
        if (trainer.min_epochs or 0) <= trainer.current_epoch and (trainer.min_steps or 0) <= trainer.global_step:
            return True
        trainer.should_stop = False
        log.info("Trainer was signaled to stop but required minimum epochs (%s) or minimum steps (%s) has not been met. "
                 "Training will continue...", trainer.min_epochs, trainer.min_steps)
        return False

    def _epoch(self, validates):
        trainer, module = self._trainer, self._trainer.lightning_module
        every = trainer.reload_dataloaders_every_n_epochs
        if every and trainer.current_epoch and trainer.current_epoch % every == 0:
            self._prepare_loader()
        results = self._results = trainer._new_results()
        if self._resumed and self._restored_results:
            results.load_state(self._restored_results)
        self._outputs = [] if overrides(module, "training_epoch_end") else None
        trainer._calls("on_epoch_start")
        trainer._calls("on_train_epoch_start")
        self._batches(validates)
        if self._outputs is not None:
            with trainer._logging_from("training_epoch_end"):
                if module.training_epoch_end(self._outputs) is not None:
                    raise MisconfigurationException("`training_epoch_end` expects a return of None. HINT: remove the return "
                                                    "statement, and log with self.log.")
        self._epoch_done = True
        self._show_epoch(results)  # for the callbacks of the epoch's end, which may log more
        trainer._calls("on_train_epoch_end")
        trainer._to_loggers(self._show_epoch(results), max(trainer.global_step - 1, 0))
        trainer._calls("on_epoch_end")
        self._step_schedulers("epoch", plateau=True)
        sampler: Any = getattr(self._loader, "sampler", None)
        if hasattr(sampler, "set_epoch"):
            sampler.set_epoch(trainer.current_epoch + 1)

    def _show_epoch(self, results):
        trainer = self._trainer
        logged: "dict[str, Any]" = {}
        for entry, _, value in results.of_epoch():
            trainer._show(entry, entry.epoch_name(), value, logged)
        return logged

    # ---- batches

    def _batches(self, validates):
        trainer = self._trainer
        total = trainer.num_training_batches
        batches = self._begin_batches(validates)
        calls, results = trainer._calls, trainer._results
        prepares = preparing.of(trainer)
        while self.batch < total:
            batch = next(batches, batches)
            if batch is batches:
                break
            index = self.batch
            trainer._is_last_batch = index + 1 == total
            if prepares is not None:
                batch = prepares(batch, 0)
            trainer._rows = loading.rows_of(batch)
            if not calls("on_train_batch_start", batch, index):
                break
            output, updates = trainer.strategy.train_batch(batch, index)
            if isinstance(output, torch.Tensor):
                output = {"loss": output}  # what hooks get of a training step has its loss by this name
            trainer.global_step += updates
            self.batch = index + 1
            self._step_schedulers("step")
            if trainer._is_last_batch:
                self._step_schedulers("epoch")
            self._show_step(results, output)
            calls("on_train_batch_end", output, batch, index)
            self._show_late(results)
            if self._outputs is not None and output is not None:
                self._outputs.append(output if isinstance(output, dict) else {"loss": output})
            if validates and self._validates_now():
                self._validate()
            if 0 <= trainer.max_steps <= trainer.global_step or self._stop_asked() and self._may_stop():
                break

    def _stop_asked(self):
        """Of several processes, which do the same number of batches: when the epoch is over (_stops)."""
        return self._trainer.should_stop and world.size() == 1

    def _may_stop(self):
        trainer = self._trainer
        return (trainer.min_epochs or 0) <= trainer.current_epoch and (trainer.min_steps or 0) <= trainer.global_step

    def _begin_batches(self, validates):
        """The epoch's batches, less those that a checkpoint has behind it; its random numbers go on as they would have."""
        if self._resumed and self.batch:
            now = random_states()
            set_random_states(self._epoch_random)
            batches = iter(self._loader)
            if self.batch < self._trainer.num_training_batches:
                for _ in range(self.batch):
                    next(batches)
            set_random_states(now)
            self._trainer._is_last_batch = self.batch == self._trainer.num_training_batches
            if validates and self._validated_at != self._trainer.global_step and self._validates_now():
                self._validate()  # the checkpoint was made just before
        else:
            self._epoch_random = random_states()
            batches = iter(self._loader)
        self._resumed = False
        return batches

    def _show_step(self, results, output):
        trainer = self._trainer
        bar = trainer.progress_bar_callback
        if bar is not None:
            bar.loss(output["loss"] if isinstance(output, dict) else output)
        every = trainer.log_every_n_steps
        self._logs_now = every and (trainer.global_step % every == 0 or trainer._fast)
        self._show_late(results)

    def _show_late(self, results):
        trainer = self._trainer
        logged: "dict[str, Any]" = {}
        if not results._updated:
            return
        for entry, _, value in results.of_batch():
            trainer._show(entry, entry.step_name(), value, logged)
        if logged and self._logs_now:
            trainer._to_loggers(logged, trainer.global_step - 1)

    # ---- in between

    def _validates_now(self):
        trainer = self._trainer
        if (trainer.current_epoch + 1) % trainer.check_val_every_n_epoch:
            return False
        ends = trainer._is_last_batch or 0 <= trainer.max_steps <= trainer.global_step
        if self._every == math.inf or self._every >= trainer.num_training_batches:
            return ends
        return self.batch % self._every == 0

    def _validate(self):
        trainer = self._trainer
        trainer.stage, self._validated_at = "validate", trainer.global_step
        self._validation.run()
        trainer.stage, trainer._results = "train", self._results
        trainer.strategy.start("train")

    def _step_schedulers(self, interval, plateau=False):
        trainer = self._trainer
        count = trainer.global_step if interval == "step" else trainer.current_epoch + 1
        for config in trainer.lr_scheduler_configs:
            if config["interval"] != interval or count % config["frequency"]:
                continue
            if interval == "epoch" and config["reduce_on_plateau"] != plateau:
                continue
            metric = self._monitored(config)
            if config["reduce_on_plateau"] and metric is None:
                continue
            trainer.lightning_module.lr_scheduler_step(config["scheduler"], 0, metric)

    def _monitored(self, config):
        if not config["reduce_on_plateau"]:
            return None
        metrics = self._trainer.callback_metrics
        found = metrics.get(config["monitor"])
        if found is None:
            text = (f"ReduceLROnPlateau conditioned on metric {config['monitor']} which is not available. Available metrics "
                    f"are: {', '.join(sorted(metrics)) or 'none'}. Condition can be set using `monitor` key in lr scheduler "
                    "dict.")
            if config["strict"]:
                raise MisconfigurationException(text)
            rank_zero_warn(text)
        return found
