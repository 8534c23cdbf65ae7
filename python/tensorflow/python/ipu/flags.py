# SPDX-License-Identifier: MIT
"""TF_POPLAR_FLAGS: --name or --name=value, separated by spaces. An unknown one ends the program."""
import math
import os
import shlex

from popart import _spelling

# name -> (default, what it does here)
FLAGS = {
    "help": (False, "Prints this list."),
    "executable_cache_path": ("", "Where compiled programs are kept as <hash>.poplar_exec."),
    "use_ipu_model": (False, "Programs run on a model of IPUs instead of the simulated system's."),
    "ipu_model_tiles": (0, "Tiles of each IPU of that model; 0: all."),
    "use_synthetic_data": (False, "No data is moved between host and device."),
    "synthetic_data_categories": ("", "The same for infeed, outfeed, seed, hostembedding or parameters alone, by commas."),
    "synthetic_data_initializer": ("", "What inputs and parameters are instead: random, uniform, normal or a number; else "
                                       "zeros."),
    "log_cycle_count": (-1, "The tile whose cycles of every run are logged; -1: none."),
    "while_loop_brute_force_max_trip_count": (128, "No effect: loops whose count is known are found otherwise."),
    "max_compilation_threads": (-1, "No effect: POPLAR_ENGINE_OPTIONS sets the compiler's threads."),
    "max_infeed_threads": (-1, "No effect: infeeds need no threads here."),
    "dump_schedule_as_dot": (False, "Programs are written as .dot files to the log folder of PopART."),
    "tensor_map_file_path": ("", "Where tensor maps are written; not there yet, so it is refused."),
    "fallback_scheduler": (False, "No effect: there is one scheduler."),
    "allow_nans": (False, "No effect: NaNs are always allowed unless floating_point_behaviour stops at them."),
    "null_data_feed": (False, "Infeeds give zeros."),
    "show_progress_bar": ("auto", "No effect: compiling takes too little time for a bar."),
    "use_on_demand": (False, "Devices are attached when a program first runs."),
    "on_demand_device_poll_time": (1000, "No effect: who waits for a device is woken."),
    "on_demand_device_timeout": (3600000, "Milliseconds after which attaching is given up."),
    "sync_replica_start": (False, "No effect: replicas start together."),
    "enable_hlo_verifier": (False, "No effect: the checks of the ir are always on."),
    "disable_poplar_version_check": (False, "No effect: everything has one version."),
}
_CATEGORIES = {"infeed", "outfeed", "seed", "hostembedding", "parameters"}


class Flags:
    def __init__(self, text=""):
        self.__dict__.update({name: default for name, (default, _) in FLAGS.items()})
        for word in shlex.split(text):
            self._take(word)
        self._check()

    def _take(self, word):
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("--") or name not in FLAGS:
            hint = _spelling.hint(name, FLAGS, "--{}")
            raise _fatal(f"Unknown flag {word} in TF_POPLAR_FLAGS.{hint} --help lists all.")
        default = FLAGS[name][0]
        try:
            setattr(self, name, _bool(value, equals) if isinstance(default, bool) else type(default)(value))
        except ValueError:
            raise _fatal(f"{word} in TF_POPLAR_FLAGS: {value!r} is no {type(default).__name__}.") from None

    def _check(self):
        if self.help:
            lines = "\n".join(f"  --{name} ({default!r}): {doc}" for name, (default, doc) in FLAGS.items())
            raise SystemExit(f"TF_POPLAR_FLAGS:\n{lines}")
        unknown = self.categories - _CATEGORIES
        if unknown:
            raise _fatal(f"Unknown synthetic data category {sorted(unknown)[0]!r}; there are {', '.join(sorted(_CATEGORIES))}.")
        if self.synthetic_data_initializer and not self.synthetic:
            raise _fatal("--synthetic_data_initializer needs --use_synthetic_data or --synthetic_data_categories.")
        if self.synthetic_data_initializer not in ("", "random", "uniform", "normal") and not _number(
                self.synthetic_data_initializer):
            raise _fatal("--synthetic_data_initializer must be random, uniform, normal or a number, not "
                         f"{self.synthetic_data_initializer!r}.")
        if self.show_progress_bar not in ("auto", "true", "false"):
            raise _fatal("--show_progress_bar must be auto, true or false.")
        if self.tensor_map_file_path:
            raise _fatal("--tensor_map_file_path is not there yet. PopVision's profile has the tensor maps: "
                         'POPLAR_ENGINE_OPTIONS={"autoReport.all":"true"}.')

    @property
    def categories(self):
        return {c for c in self.synthetic_data_categories.split(",") if c}

    @property
    def synthetic(self):
        return self.use_synthetic_data or bool(self.categories)

    def synthetic_for(self, category):
        return self.use_synthetic_data or category in self.categories


def _bool(value, given):
    if not given or value.lower() in ("true", "1"):
        return True
    if value.lower() in ("false", "0"):
        return False
    raise ValueError(value)


def _number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _fatal(text):
    return SystemExit(f"F tensorflow/compiler/plugin/poplar: {text}")


_read = {}


def current():
    """Of the environment as it is now."""
    text = os.environ.get("TF_POPLAR_FLAGS", "")
    if _read.get("text") != text or not _read:
        _read["flags"], _read["text"] = Flags(text), text
    return _read["flags"]
