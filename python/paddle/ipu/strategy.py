# SPDX-License-Identifier: MIT
"""IpuStrategy: how a program is compiled for IPUs."""
from __future__ import annotations

from typing import Any

import popart
from popart import _settings, _spelling

from . import distribution
from . import options as table
from .locations import set_location


class IpuStrategy:
    """set_graph_config, set_pipelining_config, set_precision_config; set_options for everything else."""

    def __init__(self):
        self._own = {name: row.default for name, row in table.OWN.items()}
        self._session = {}
        self._locations = {"location_optimizer": {"on_chip": 0, "use_replicated_tensor_sharding": 1}}
        self._patterns = {}
        self._custom_ops = []
        self._logger = None
        self.need_compile = True
        self.has_custom_ops = False
        self.custom_op_names = []
        self._session_defaults = _first_options()

    # ---- the usual ways

    def set_graph_config(self, num_ipus: int = 1, is_training: bool = True, micro_batch_size: int = 1,
                         enable_manual_shard: bool = False) -> None:
        """num_ipus: of all replicas together. enable_manual_shard: ipu_shard_guard places operators."""
        if num_ipus == 1 and enable_manual_shard:
            raise RuntimeError("Only if num_ipus > 1, enable_manual_shard is able to be set True.")
        self.set_options({"num_ipus": num_ipus, "is_training": is_training, "micro_batch_size": micro_batch_size,
                          "enable_manual_shard": enable_manual_shard})

    def set_pipelining_config(self, enable_pipelining: bool = False, batches_per_step: int = 1,
                              enable_gradient_accumulation: bool = False, accumulation_factor: int = 1) -> None:
        """batches_per_step: micro-batches (or accumulated groups of them) that one Executor.run takes."""
        if enable_pipelining and not self._own["enable_manual_shard"]:
            raise RuntimeError("Only if enable_manual_shard=True, enable_pipelining is able to be set True.")
        self.set_options({"enable_pipelining": enable_pipelining, "batches_per_step": batches_per_step,
                          "enable_gradient_accumulation": enable_gradient_accumulation,
                          "accumulation_factor": accumulation_factor})

    def set_precision_config(self, enable_fp16: bool = False) -> None:
        """enable_fp16: the device computes in float16; the parameters of the scope stay what they are."""
        self.set_options({"enable_fp16": enable_fp16})

    def set_optimizer(self, optimizer: Any) -> Any:
        """The optimizer that a program for the IPU is trained with."""
        raise RuntimeError("set_optimizer is of the dynamic graph. In a static program call optimizer.minimize(loss).")

    def parse_optimizer(self, optimizer: Any) -> Any:
        """What the IPU needs to know of an optimizer, as a dict."""
        raise RuntimeError("parse_optimizer is of the dynamic graph. In a static program call optimizer.minimize(loss).")

    def register_patch(self) -> Any:
        """Refused: it is of the dynamic graph."""
        raise RuntimeError("register_patch is of the dynamic graph, which is not there: build a static program.")

    def release_patch(self) -> None:
        """Nothing is patched."""

    def add_custom_op(self, paddle_op: str, popart_op: str | None = None, domain: str = "custom.ops",
                      version: int = 1) -> None:
        """An operator of the program that PopART knows by another name; without a domain it is one of PopART's own."""
        for name, value in (("paddle_op", paddle_op), ("domain", domain)):
            if not isinstance(value, str) or not value and name != "domain":
                raise TypeError(f"add_custom_op: {name} must be a text, not {value!r}.")
        popart_op = paddle_op if popart_op is None else popart_op
        self._custom_ops.append({"paddle_op": paddle_op, "popart_op": popart_op, "domain": domain, "version": int(version)})
        self.has_custom_ops, self.need_compile = True, True
        self.custom_op_names.append(paddle_op)

    def enable_pattern(self, pattern: str) -> None:
        """Switches a rewrite of PopART on, by name."""
        self._set_pattern(pattern, True)

    def disable_pattern(self, pattern: str) -> None:
        """Switches a rewrite of PopART off, by name."""
        self._set_pattern(pattern, False)

    def _set_pattern(self, pattern, on):
        try:
            popart.Patterns(popart.PatternsLevel.Default).enablePattern(pattern, on)
        except Exception as problem:
            raise ValueError(f"There is no pattern {pattern!r} of PopART: {problem}") from None
        self._patterns[pattern], self.need_compile = on, True

    def is_pattern_enabled(self, pattern: str) -> Any:
        """Whether a rewrite of PopART is done."""
        return self._patterns.get(pattern, popart.Patterns(popart.PatternsLevel.Default).isPatternEnabled(pattern))

    # ---- options by name

    def set_options(self, options: dict) -> None:
        """Sets options of PopART's session by name."""
        if not isinstance(options, dict):
            raise TypeError(f"set_options needs a dict of options, not {options!r}.")
        for name, value in options.items():
            self._set(name, value)
            if name not in ("lr", "runtime_options.enable_eval"):
                self.need_compile = True

    def _set(self, name, value):
        name = table.own_name(name)
        if name in table.OWN:
            self._own[name] = _checked(name, value, table.OWN[name])
        elif name in table.LOCATIONS:
            set_location(getattr(popart.SessionOptions(), table.LOCATIONS[name]), name, value)
            self._locations.setdefault(name, {}).update(value)
        elif name == "compilation_progress_logger":
            if not callable(value):
                raise TypeError(f"compilation_progress_logger must be a function (progress, total), not {value!r}.")
            self._logger = value
        elif name == "custom_op":
            self.add_custom_op(**value)
        elif table.field_of(name) is not None:
            self._session[name] = self._tried(name, value)
        else:
            raise _unknown(name)

    def _tried(self, name, value):
        """The value as the option has it; an error now, not when a program is compiled."""
        _assign(popart.SessionOptions(), table.field_of(name), name, value)
        _fits(name, value, table.SESSION_CHECKS.get(name))
        return value

    def get_option(self, option: str) -> Any:
        """The value of an option."""
        option = table.own_name(option)
        if option in self._own:
            return self._own[option]
        if option in self._session:
            return self._session[option]
        if option in table.LOCATIONS:
            return dict(self._locations.get(option, {}))
        if option == "compilation_progress_logger":
            return self._logger
        if option == "custom_op":
            return list(self._custom_ops)
        field = table.field_of(option)
        if field is not None:
            return _plain(getattr(self._session_defaults, field))
        raise _unknown(option)

    @property
    def num_ipus(self) -> int:
        """IPUs that are reserved."""
        return self._own["num_ipus"]

    @property
    def is_training(self) -> bool:
        """Whether the program is trained."""
        return self._own["is_training"]

    @property
    def enable_pipelining(self) -> bool:
        """Whether stages run at the same time."""
        return bool(self.get_option("enable_pipelining"))

    @property
    def enable_fp16(self) -> Any:
        """Whether the IPU computes in float16."""
        return self._own["enable_fp16"]

    # ---- for those who compile

    def of_evaluation(self) -> IpuStrategy:
        """The strategy of the forward pass alone, for as many rows a run as this one takes."""
        out = IpuStrategy()
        for name in ("_own", "_session", "_locations", "_patterns"):
            getattr(out, name).update(getattr(self, name))
        out._custom_ops, out._logger = self._custom_ops, self._logger
        out.set_options({"is_training": False, "batches_per_step": self.get_option("batches_per_step") * self.accumulation,
                         "enable_gradient_accumulation": False, "accumulation_factor": 1,
                         "runtime_options.enable_eval": False, "onnx_dump_path": ""})
        return out

    @property
    def replicas(self) -> int:
        """Copies of the model on other IPUs."""
        return int(self.get_option("replicated_graph_count")) if self.get_option("enable_replicated_graphs") else 1

    @property
    def accumulation(self) -> int:
        """Micro-batches of one weight update."""
        return int(self.get_option("accumulation_factor")) if self.get_option("enable_gradient_accumulation") else 1

    @property
    def ipus_per_replica(self) -> int:
        """IPUs of one copy of the model."""
        if self.num_ipus % self.replicas:
            raise ValueError(f"num_ipus={self.num_ipus} do not divide between replicated_graph_count={self.replicas} "
                             "replicas; num_ipus counts the IPUs of all of them.")
        return self.num_ipus // self.replicas

    @property
    def reserved_ipus(self) -> int:
        """IPUs come in powers of two for each replica."""
        return self.replicas * (1 << (self.ipus_per_replica - 1).bit_length())

    @property
    def _ipu_strategy(self):
        """Where Paddle's own strategy is in C++."""
        return Inside(self)

    def session_options(self) -> Any:
        """The options of PopART's session that this strategy asks for."""
        out = _first_options()
        for name, value in self._session.items():
            _assign(out, table.field_of(name), name, value)
        for name, value in self._locations.items():
            if name != "location_optimizer" or self.replicas > 1 or value.get("on_chip"):
                set_location(getattr(out, table.LOCATIONS[name]), name, value)
        if self._own["enable_half_partial"]:
            out.partialsTypeMatMuls = "half"
            out.convolutionOptions["partialsType"] = "half"
        if self.ipus_per_replica > 1 and "virtual_graph_mode" not in self._session:
            out.virtualGraphMode = popart.VirtualGraphMode.Manual
        if self._own["enable_distribution"]:
            distribution.configure(out, self)
        if self._logger is not None:
            out.compilationProgressLogger = _every_step(self._logger)
        return out

    def patterns(self) -> Any:
        """The rewrites of PopART that this strategy asks for."""
        out = popart.Patterns(popart.PatternsLevel.Default)
        for name, on in self._patterns.items():
            out.enablePattern(name, on)
        return out


class Inside:
    """The strategy by the names that Paddle's part in C++ has: options with their types."""

    def __init__(self, strategy):
        self._strategy = strategy
        self.set_options, self.is_pattern_enabled = strategy.set_options, strategy.is_pattern_enabled
        self.enable_pattern, self.disable_pattern = strategy.enable_pattern, strategy.disable_pattern

    def get_all_option_names(self):
        return sorted({*table.OWN, *table.SESSION})

    def get_option(self, name):
        value = self._strategy.get_option(name)
        kind = {bool: "bool", int: "uint64", float: "double", str: "string", list: "vector", set: "set", dict: "map"}
        return {"name": name, "type": kind.get(type(value), type(value).__name__), "value": value}


def _every_step(logger):
    """Progress comes in leaps; loggers look for certain numbers, so they get all in between."""
    told = 0

    def log(done, total):
        nonlocal told
        for step in range(told + 1, done + 1):
            logger(step, total)
        told = max(told, done)
    return log


def _first_options():
    """PopART's options where nobody says otherwise."""
    out = popart.SessionOptions()
    out.accumulationAndReplicationReductionType = popart.ReductionType.Mean
    out.meanAccumulationAndReplicationReductionStrategy = popart.MeanReductionStrategy.Post
    return out


def _checked(name, value, row):
    """The value of an option of our own, as it is kept."""
    if row.use == "refused" and value:
        raise NotImplementedError(f"(Unimplemented) The option {name}: {row.words}.")
    kind = type(row.default)
    kinds: Any = {bool: (bool, int), int: int, float: (int, float), str: str}[kind]
    if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(f"The option {name} must be of type {kind.__name__}, not {value!r}.")
    _fits(name, value, row.check)
    return kind(value)


def _fits(name, value, check):
    if check is not None and not check.fits(value):
        raise ValueError(f"The option {name} must be {check.words}, not {value!r}.")


def _assign(out, field, name, value):
    now = getattr(out, field)
    try:
        if field == "accumulateOuterFragmentSettings" and all(isinstance(k, int) for k in value):
            (schedule, excluded), = value.items()  # {schedule: [virtual graphs that take no part]}
            schedule = _settings.member(popart.AccumulateOuterFragmentSchedule, schedule)
            setattr(out, field, popart.AccumulateOuterFragmentSettings(schedule, list(excluded)))
        elif isinstance(value, dict) and not hasattr(now, "update"):
            for key, part in value.items():
                head, *rest = key.split("_")
                setattr(now, head + "".join(r.capitalize() for r in rest), part)
        elif field == "hardwareInstrumentations":
            setattr(out, field, {_settings.member(popart.Instrumentation, v) for v in value})
        else:
            _settings.assign(out, field, value)
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise TypeError(f"The option {name} cannot be {value!r}: {problem}") from None


def _plain(value):
    """A setting of PopART as set_options would be given it."""
    if isinstance(value, popart.AccumulateOuterFragmentSettings):
        return {int(value.schedule): list(value.excludedVirtualGraphs)}
    if hasattr(value, "items"):
        return dict(value.items())
    return int(value) if hasattr(type(value), "__members__") else value


def _unknown(name):
    hint = _spelling.hint(name, table.all_names(), "{}")
    return ValueError(f"Cannot find option: {name}.{hint} docs/paddle.md lists all options.")
