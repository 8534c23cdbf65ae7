# SPDX-License-Identifier: MIT
"""The loop of a validation, a test or a prediction: every loader once."""
import itertools
import math
from typing import Any

import torch

from pi_ml import loading, preparing
from pi_ml.module import overrides
from pi_ml.results import number
from pi_ml.tables import results_table
from pi_ml.utilities.exceptions import MisconfigurationException

_hook = {"validate": "validation", "test": "test", "predict": "predict"}
_flag = {"validate": "limit_val_batches", "test": "limit_test_batches", "predict": "limit_predict_batches"}


class Evaluation:
    """Of one stage."""

    def __init__(self, trainer, stage):
        self._trainer, self._stage, self._loaders = trainer, stage, []

    def prepare(self, given, needed=True):
        """Loads the loaders; False if there are none and none are needed."""
        trainer, stage = self._trainer, self._stage
        loaders = loading.listed(loading.source(stage, given, trainer.datamodule, trainer.lightning_module))
        for loader in loaders:
            loading.check(loader, stage)
        self._loaders = [trainer.strategy.loader(stage, loader) for loader in loaders]
        setattr(trainer, {"validate": "val_dataloaders", "test": "test_dataloaders",
                          "predict": "predict_dataloaders"}[stage], self._loaders)
        if not self._loaders and needed:
            name = {"validate": "val_dataloader", "test": "test_dataloader", "predict": "predict_dataloader"}[stage]
            raise MisconfigurationException(f"No `{name}()` method defined to run `Trainer.{stage}`, and no loader given.")
        return bool(self._loaders)

    def batches(self, limit=math.inf):
        trainer, flag = self._trainer, _flag[self._stage]
        return [min(loading.limited(loading.length(loader), getattr(trainer, flag), flag), limit) for loader in self._loaders]

    # ---- running

    def run_alone(self, verbose):
        """The whole of trainer.validate, test or predict."""
        trainer = self._trainer
        trainer.stage = self._stage
        results = self.run()
        if self._stage == "predict":
            if not verbose:
                return None
            return results[0] if len(results) == 1 else results
        if verbose:
            table = results_table({"validate": "Validate", "test": "Test"}[self._stage], results)
            if table and trainer.is_global_zero:
                print(table)
        return results

    def run(self, limit=math.inf):
        """A dictionary of metrics a loader; of a prediction, the outputs."""
        trainer, stage, module = self._trainer, self._stage, self._trainer.lightning_module
        calls, name = trainer._calls, _hook[stage]
        if not trainer.sanity_checking:
            trainer.stage = stage
        trainer.strategy.before_reading_weights()
        trainer.strategy.start(stage)
        getattr(module, f"on_{name}_model_eval")()
        results = trainer._new_results()
        calls(f"on_{name}_start")
        calls("on_epoch_start")
        calls(f"on_{name}_epoch_start")
        with torch.no_grad():
            outputs = self._all(limit)
            found = self._end_epoch(outputs, results)
        calls(f"on_{name}_end")
        trainer.strategy.stop(stage)
        if stage != "predict":
            getattr(module, f"on_{name}_model_train")()
        return found

    def _all(self, limit):
        trainer, several = self._trainer, len(self._loaders) > 1
        self._keeps = self._stage == "predict" or self._overridden_end()
        prepares, outputs = preparing.of(trainer), []
        for index, (loader, count) in enumerate(zip(self._loaders, self.batches(limit))):
            trainer._loader_index = index if several else None
            outputs.append(self._one(index, loader, count, prepares))
        trainer._loader_index = None
        return outputs

    def _one(self, index, loader, count, prepares):
        trainer, calls, name = self._trainer, self._trainer._calls, _hook[self._stage]
        outputs = []
        batches = iter(loader)
        for number_of_batch in itertools.count() if count == math.inf else range(int(count)):
            batch = next(batches, batches)
            if batch is batches:
                break
            if prepares is not None:
                batch = prepares(batch, index)
            trainer._rows, trainer._batches_of_loader = loading.rows_of(batch), number_of_batch
            calls(f"on_{name}_batch_start", batch, number_of_batch, index)
            output = trainer.strategy.evaluate_batch(self._stage, batch, number_of_batch, index)
            trainer._batches_of_loader = number_of_batch + 1
            calls(f"on_{name}_batch_end", output, batch, number_of_batch, index)
            trainer._results._updated.clear()
            if self._keeps and output is not None:
                outputs.append(output)
        return outputs

    def _overridden_end(self):
        return overrides(self._trainer.lightning_module, _hook[self._stage] + "_epoch_end")

    def _end_epoch(self, outputs, results):
        trainer, calls, name = self._trainer, self._trainer._calls, _hook[self._stage]
        if self._stage == "predict":
            calls("on_predict_epoch_end", outputs)
            return outputs
        if self._overridden_end():
            with trainer._logging_from(name + "_epoch_end"):
                getattr(trainer.lightning_module, name + "_epoch_end")(outputs[0] if len(outputs) == 1 else outputs)
        calls(f"on_{name}_epoch_end")
        calls("on_epoch_end")
        return self._metrics(results)

    def _metrics(self, results):
        """By loader, and into the trainer's metrics."""
        trainer = self._trainer
        logged: "dict[str, Any]" = {}
        found: "list[dict[str, Any]]" = [{} for _ in self._loaders]
        for entry, key, value in results.of_epoch():
            suffix = key[len(entry.name):]
            shown = entry.epoch_name() + suffix
            trainer._show(entry, shown, value, logged)
            of = range(len(found)) if not suffix else [int(suffix.rsplit("_", 1)[1])]
            for index in of:
                found[index][shown] = number(value)
        if not trainer.sanity_checking:
            trainer._to_loggers(logged, trainer.global_step)
        return found
