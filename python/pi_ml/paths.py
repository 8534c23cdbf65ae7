# SPDX-License-Identifier: MIT
"""Lightning's paths of modules that have another place here, for `pi_ml` and for `pytorch_lightning`; and names of Lightning
that are not there, each with what to do instead."""
from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
from typing import Any, Optional

MOVED = {"core": "", "core.lightning": "module", "core.module": "module", "core.datamodule": "datamodule",
         "core.hooks": "hooks", "core.mixins": "hyperparameters", "core.saving": "checkpoints",
         "accelerators.accelerator": "accelerators", "accelerators.cpu": "accelerators", "accelerators.ipu": "accelerators",
         "callbacks.callback": "callbacks.base", "callbacks.model_checkpoint": "callbacks.checkpoint",
         "callbacks.lambda_function": "callbacks.lambdas",
         "callbacks.gradient_accumulation_scheduler": "callbacks.accumulation",
         "callbacks.progress.base": "callbacks.progress", "callbacks.progress.progress_bar": "callbacks.progress",
         "callbacks.progress.tqdm_progress": "callbacks.progress",
         "loggers.logger": "loggers.base", "plugins.precision.ipu": "precision",
         "plugins.precision.precision_plugin": "precision",
         "plugins.training_type": "plugins", "plugins.training_type.ipu": "plugins",
         "strategies.strategy": "strategies.base", "strategies.single_device": "strategies.cpu",
         "trainer.connectors": "trainer", "utilities.seed": "seeding", "utilities.rank_zero": "log",
         "utilities.distributed": "log", "utilities.warnings": "log", "utilities.model_summary": "summary",
         "utilities.parsing": "hyperparameters", "utilities.model_helpers": "module"}

_NO_PROFILERS = "There are no profilers: IPUStrategy(autoreport=True) profiles what runs on IPUs."
_READS = "Trainer.add_argparse_args reads a command line."
_OTHER = {
    "callbacks": {"RichProgressBar": "TQDMProgressBar shows progress.", "RichModelSummary": "ModelSummary shows the layers.",
                  "DeviceStatsMonitor": _NO_PROFILERS, "GPUStatsMonitor": _NO_PROFILERS, "XLAStatsMonitor": _NO_PROFILERS,
                  "StochasticWeightAveraging": "torch.optim.swa_utils.AveragedModel averages weights in a callback of yours.",
                  "ModelPruning": "torch.nn.utils.prune prunes a module before or after a training.",
                  "QuantizationAwareTraining": "IPUs compute in float, half and float8."},
    "loggers": {name: "CSVLogger and TensorBoardLogger are there, and Logger for one of your own."
                for name in ("WandbLogger", "MLFlowLogger", "CometLogger", "NeptuneLogger", "TestTubeLogger",
                             "LoggerCollection")},
    "": {"profiler": _NO_PROFILERS, "profilers": _NO_PROFILERS, "lite": "A LightningModule and a Trainer train.",
         "tuner": "There are no tuners: train with several numbers, a trainer for each.",
         "utilities.cli": _READS, "cli": _READS},
}


def missing(package: str, name: str) -> Exception:
    """The error for a name that a package has not."""
    advice = _OTHER[package].get(name)
    whole = ".".join(filter(None, ("pi_ml", package, name)))
    if advice is None or name.startswith("__"):
        return AttributeError(f"module {whole.rpartition('.')[0]!r} has no attribute {name!r}")
    return ImportError(f"{whole} is not in this package. {advice}")  # `from ... import` drops an AttributeError's words


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules by Lightning's paths. every: also those that are where Lightning has them, under another name of the package."""

    def __init__(self, package: str, every: bool = False) -> None:
        self._package, self._every = package, every

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        package, _, inside = name.partition(".")
        if package != self._package or not inside:
            return None
        if inside in _OTHER[""]:
            raise ModuleNotFoundError(f"No module named {name!r}. {_OTHER[''][inside]}", name=name)
        if inside not in MOVED and not self._every:
            return None
        ours = ".".join(filter(None, ("pi_ml", MOVED.get(inside, inside))))
        try:
            if importlib.util.find_spec(ours) is None:
                return None
        except ModuleNotFoundError:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True, loader_state=ours)

    def create_module(self, spec: Any) -> Any:
        module = importlib.import_module(spec.loader_state)
        self._own = module.__spec__
        return module

    def exec_module(self, module: Any) -> None:
        module.__spec__ = self._own  # it stays what it was
