# SPDX-License-Identifier: MIT
"""The trainer's flags: what each may be, and what fits together."""
from popart import _spelling

from pi_ml import world
from pi_ml.callbacks.model_summary import ModelSummary
from pi_ml.callbacks.progress import TQDMProgressBar
from pi_ml.accelerators import Accelerator, IPUAccelerator
from pi_ml.log import rank_zero_warn
from pi_ml.strategies import IPUStrategy, SingleDeviceStrategy, Strategy
from pi_ml.utilities.exceptions import MisconfigurationException, UnknownFlag

# Flags of Lightning for other hardware, or for what an IPU does itself: any value but these is refused.
_elsewhere = {"gpus": (None, 0), "tpu_cores": (None, 0), "hpus": (None, 0), "auto_select_gpus": (False,),
              "num_nodes": (1,), "num_processes": (None, 1), "amp_backend": ("native",), "amp_level": (None,),
              "sync_batchnorm": (False,), "benchmark": (None, False), "auto_lr_find": (False,),
              "auto_scale_batch_size": (False,), "move_metrics_to_cpu": (False,), "detect_anomaly": (False,),
              "track_grad_norm": (-1,), "multiple_trainloader_mode": ("max_size_cycle",), "replace_sampler_ddp": (True,)}
# Older flags whose other values have no meaning here.
_elsewhere.update({"process_position": (0,), "flush_logs_every_n_steps": (None,), "log_gpu_memory": (None,),
                   "prepare_data_per_node": (None, True), "stochastic_weight_avg": (False,), "terminate_on_nan": (None, False)})

_precisions = {16: 16, "16": 16, "16-mixed": 16, "16-true": 16, 32: 32, "32": 32, "32-true": 32}


def refuse_unknown(given, known):
    for name, value in given.items():
        if name in _elsewhere:
            if value not in _elsewhere[name]:
                raise MisconfigurationException(f"Trainer({name}={value!r}): this trainer runs on IPUs or on the CPU, in one "
                                                "process, and has nothing of that; leave the flag out.")
            continue
        raise UnknownFlag(f"Trainer.__init__() got an unexpected keyword argument {name!r}."
                          + _spelling.hint(name, [*known, *_elsewhere]))


def of_older(given, checkpointing, summary, bar, callbacks):
    """checkpoint_callback, weights_summary and progress_bar_refresh_rate say what three newer flags and two callbacks say."""
    callbacks = [] if callbacks is None else list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
    wanted, layers = given.pop("checkpoint_callback", None), given.pop("weights_summary", "top")
    checkpointing = checkpointing if wanted is None else bool(wanted)
    if layers not in ("top", "full", None):
        raise MisconfigurationException(f"Trainer(weights_summary={layers!r}): it is \"top\", \"full\" or None.")
    summary = summary and layers is not None
    callbacks += [ModelSummary(max_depth=-1)] if layers == "full" else []
    rate = given.pop("progress_bar_refresh_rate", None)
    if rate is not None:
        bar = whole("progress_bar_refresh_rate", rate, 0) > 0
        callbacks += [TQDMProgressBar(refresh_rate=rate)] if rate else []
    return checkpointing, summary, bar, callbacks


def refuse_both(name, value, other, other_value):
    """Two flags that say the same thing: one of them would be ignored."""
    if value is not None and other_value is not None and value != other_value:
        raise MisconfigurationException(f"Trainer({name}={value!r}, {other}={other_value!r}): both say the same thing here; "
                                        f"give {name} only.")


def devices(accelerator, devices, ipus, strategy):
    """("ipu" or "cpu", number) of the four flags that say where to run."""
    if isinstance(accelerator, Accelerator):
        accelerator = accelerator.name
    if accelerator is not None and accelerator not in ("ipu", "cpu", "auto"):
        raise MisconfigurationException(f"Trainer(accelerator={accelerator!r}): there are \"ipu\", \"cpu\" and \"auto\"."
                                        + _spelling.hint(accelerator, ("ipu", "cpu", "auto")))
    if accelerator == "cpu" and ipus is not None:
        rank_zero_warn(f"The flag `ipus={ipus!r}` will be ignored: `accelerator=\"cpu\"` says where to run.")
        ipus = None
    on_ipu = ipus is not None or _is_ipu_strategy(strategy) or accelerator == "ipu"
    if accelerator == "cpu" and on_ipu:
        raise MisconfigurationException("Trainer(accelerator=\"cpu\") contradicts an IPUStrategy.")
    if accelerator == "auto" and not on_ipu:
        on_ipu = IPUAccelerator.is_available()
    if not on_ipu:
        if devices not in (None, 1, "1", "auto"):
            raise MisconfigurationException(f"Trainer(devices={devices!r}) on the CPU: there is one device there. Set "
                                            "accelerator=\"ipu\" for more.")
        return "cpu", 1
    if ipus is not None and devices is not None:
        rank_zero_warn(f"The flag `devices={devices!r}` will be ignored, instead the device specific number {ipus!r} will be "
                       "used")
    asked = ipus if ipus is not None else devices
    count = count_of(1 if asked is None else IPUAccelerator.auto_device_count() if asked in ("auto", -1) else asked)
    if not IPUAccelerator.is_available():
        raise MisconfigurationException("The IPU Accelerator requires IPU devices to run. Is the SDK enabled, and does "
                                        "OPENIPU_NUM_IPUS give some?")
    return "ipu", count


def of_instance(kind, count):
    """poprun says how many replicas this process has; the trainer's number must agree."""
    if not world.started_by_poprun():
        return count
    if kind != "ipu":
        if world.size() > 1:
            raise MisconfigurationException("poprun started several processes, which train one model on IPUs only. Set "
                                            "Trainer(accelerator=\"ipu\"), or start one process for the CPU.")
        return count
    here, total = world.replicas()
    if count not in (1, here):
        raise MisconfigurationException(f"Trainer(ipus={count}): poprun gives this process {here} of {total} replicas. Leave "
                                        "the number out, or start poprun with other --num-replicas and --num-instances.")
    return here


def _is_ipu_strategy(strategy):
    return getattr(strategy, "strategy_name", None) == "ipu_strategy" or strategy == "ipu_strategy"


def count_of(asked, flag="ipus"):
    """The number of IPUs that a flag says."""
    if isinstance(asked, (list, tuple)):
        raise MisconfigurationException(f"Trainer({flag}={asked!r}): IPUs are given by a single number, not by their ids.")
    try:
        count = int(asked)
    except (TypeError, ValueError):
        raise MisconfigurationException(f"Trainer({flag}={asked!r}): a whole number of IPUs is needed.") from None
    if count < 1 or isinstance(asked, (bool, float)):
        raise MisconfigurationException(f"Trainer({flag}={asked!r}): a whole number of at least 1 is needed.")
    return count


def check_replicas(count, strategy, flag="ipus"):
    """A power of two; the user's own options say themselves."""
    own = strategy._given["train"] or strategy._given["inference"]
    if count & (count - 1) and own is None:
        raise MisconfigurationException(
            f"Trainer({flag}={count}): {count} is not a power of two, and replicas come in powers of two. Use "
            f"{1 << (count.bit_length() - 1)} or {1 << count.bit_length()}. A model may be spread over any number of IPUs.")


def strategy_of(strategy, kind):
    if isinstance(strategy, Strategy):
        if kind == "cpu" and strategy.strategy_name == "ipu_strategy":
            raise MisconfigurationException("An IPUStrategy needs IPUs.")
        return strategy
    if strategy not in (None, "ipu_strategy", "single_device"):
        raise MisconfigurationException(f"Trainer(strategy={strategy!r}): there is IPUStrategy (or \"ipu_strategy\").")
    if kind == "ipu":
        return IPUStrategy()
    return SingleDeviceStrategy()


def precision(value, kind):
    if value in ("bf16", 64, "64") or value not in _precisions:
        raise ValueError(f"`Trainer(accelerator='{kind}', precision={value!r})` is not supported. `precision` must be one of: "
                         "(16, 32).")
    if kind == "cpu" and _precisions[value] == 16:
        raise MisconfigurationException("Trainer(precision=16) needs IPUs: torch computes little in half precision on the CPU.")
    return _precisions[value]


def accumulation(value):
    """The number of accumulated batches. A dictionary that says others from some epoch on stays one."""
    if isinstance(value, dict):
        for epoch, count in value.items():
            whole("an epoch of accumulate_grad_batches", epoch, 0)
            whole("accumulate_grad_batches", count, 1)
        if set(value) != {0}:
            return dict(value)
        value = value[0]
    return whole("accumulate_grad_batches", 1 if value is None else value, 1)


def whole(name, value, least):
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise MisconfigurationException(f"Trainer({name}={value!r}): a whole number of at least {least} is needed.")
    return value


def share(name, value, otherwise=1.0):
    """A number of batches, or a share of them."""
    if value is None:
        return otherwise
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MisconfigurationException(f"Trainer({name}={value!r}): a whole number of batches or a share from 0.0 to 1.0 is "
                                        "needed.")
    if value < 0 or isinstance(value, float) and value > 1.0:
        raise MisconfigurationException(f"You have passed invalid value {value} for {name}, it has to be in [0.0, 1.0] or an "
                                        "int.")
    return value


def check_interval(value):
    if value is None:
        return 1.0
    value = share("val_check_interval", value)
    if value == 0:
        raise MisconfigurationException("Trainer(val_check_interval=0): validation after every 0 batches has no meaning; "
                                        "limit_val_batches=0 switches it off.")
    return value
