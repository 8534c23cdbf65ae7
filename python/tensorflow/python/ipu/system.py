# SPDX-License-Identifier: MIT
"""The configured IPU system: reserves IPUs, and says what sessions on them are to be like."""
import itertools
import os
import time

import popart
import popart_core
from popart_core import runtime

from tensorflow.framework.devices import Device
from tensorflow.framework.errors import PermissionDeniedError, ResourceExhaustedError, failures, translated
from tensorflow.framework.logs import warning
from tensorflow.python.ipu import flags, instances, synthetic
from tensorflow.python.ipu.config_enums import DeviceConnectionType
from tensorflow.python.ipu.config_structure import Structure
from tensorflow.python.ipu.config_table import TABLE

_now = {"config": None, "devices": []}
_reports = itertools.count()  # of this process


def configured():
    return _now["config"] is not None


def configuration():
    return _now["config"]


def value(name):
    """Of an attribute of the configuration."""
    if _now["config"] is None:
        return TABLE[name].default
    return _now["config"]._values()[name]


def reset():
    for each in _now["devices"]:
        each.release()
    _now.update(config=None, devices=[])


def device(index=0):
    """The n-th IPU device; without a configuration there is one with one IPU."""
    if not configured():
        config = Structure(TABLE)
        config.auto_select_ipus = 1
        configure(config)
    if index >= len(_now["devices"]):
        raise ValueError(f"There is no device /device:IPU:{index}: {len(_now['devices'])} are configured. Use "
                         "auto_select_ipus = [...] for several.")
    return _now["devices"][index]


def configure(config):
    values = config._values()
    changed = {name: v for name, v in values.items() if v != TABLE[name].default}
    _check(values)
    for name in sorted(changed):
        if TABLE[name].without_effect:
            warning(f"{name} = {changed[name]!r} has no effect on the simulated IPU system: {TABLE[name].without_effect}.")
    auto, chosen = values["auto_select_ipus"], values["select_ipus"]
    wanted = [("count", n) for n in _listed(auto)] + [("id", n) for n in _listed(chosen)] or [("count", 1)]
    made = []
    try:
        for how, n in wanted:
            made.append(IpuDevice(how, n, values, changed, len(made)))
    except Exception:
        for each in made:
            each.release()
        raise
    _now.update(config=config, devices=made)


def _listed(value):
    return [value] if isinstance(value, int) else list(value)


def _check(values):
    counts, ids = _listed(values["auto_select_ipus"]), _listed(values["select_ipus"])
    if counts and ids:
        raise ValueError("Only one of `auto_select_ipus` and `select_ipus` can be set.")
    if any(n < 1 for n in counts):
        raise ValueError(f"auto_select_ipus must be at least 1, not {values['auto_select_ipus']}.")
    if len(set(ids)) != len(ids):
        raise ValueError(f"All device ids in `select_ipus` must be unique, not {ids}.")
    if ids and flags.current().use_ipu_model:
        raise ValueError("`select_ipus` cannot be used with the IPU Model: use `auto_select_ipus`.")
    kind = values["device_connection.type"]
    if kind in (DeviceConnectionType.PRE_COMPILE, DeviceConnectionType.NEVER) and not values["device_connection.version"]:
        raise ValueError(f"device_connection.version must be set (for example to 'ipu2') when device_connection.type is "
                         f"{kind.name}.")
    if values["norms.experimental.distributed_batch_norm_replica_group_size"] < 1:
        raise ValueError("norms.experimental.distributed_batch_norm_replica_group_size must be at least 1, not "
                         f"{values['norms.experimental.distributed_batch_norm_replica_group_size']}.")
    if kind in (DeviceConnectionType.PRE_COMPILE, DeviceConnectionType.NEVER) and instances.share_of(values) is not None:
        raise ValueError(f"Several processes cannot train on a device that is not there (device_connection.type {kind.name}).")


class IpuDevice(Device):
    """One TensorFlow device: IPUs of the system, or what programs are compiled for without them."""

    def __init__(self, how, number, values, changed, index):
        self._changed = changed
        self.index = index
        self.kind = values["device_connection.type"]
        self.only_compiles = self.kind in (DeviceConnectionType.PRE_COMPILE, DeviceConnectionType.NEVER)
        self.never_runs = self.kind is DeviceConnectionType.NEVER
        self.saves_to = values["serialization_output_folder"]
        self.share = instances.share_of(values)
        self._is_model = flags.current().use_ipu_model and not self.only_compiles
        super().__init__(self._acquire(how, number, values))
        self.ipus = self.info.numIpus

    def _acquire(self, how, number, values):
        flag = flags.current()
        if self.only_compiles:
            return runtime.offline(number, values["device_connection.version"])
        if self._is_model:
            return runtime.ipu_model(number, values["ipu_model.version"],
                                     flag.ipu_model_tiles or values["ipu_model.tiles_per_ipu"],
                                     values["ipu_model.compile_ipu_code"])
        on_demand = flag.use_on_demand or self.kind is DeviceConnectionType.ON_DEMAND
        connection = popart.DeviceConnectionType.OnDemand if on_demand else popart.DeviceConnectionType.Always
        if on_demand:
            popart.DeviceManager().setOnDemandAttachTimeout(max(1, flag.on_demand_device_timeout // 1000))
        chosen = how == "id"
        with translated():
            try:
                return runtime.acquire(1 if chosen else number, number if chosen else None, connection=connection)
            except runtime.Unavailable as why:
                what = f"with id {number}" if chosen else f"with {number} IPUs"
                raise ResourceExhaustedError(None, None, f"Could not find an available device {what}. {why}") from None

    # ---- sessions

    def report_name(self, name):
        """tf_report__<date>__<time>__<process>__<number>: every program has a folder of its own."""
        return f"tf_report__{time.strftime('%Y-%m-%d__%H-%M-%S')}__{os.getpid()}__{next(_reports)}"

    def norm_replicas(self, replicas):
        """How many of a program's replicas share the statistics of a batch norm."""
        size = self._changed.get("norms.experimental.distributed_batch_norm_replica_group_size", 1)
        replicas = replicas if self.share is None else self.share.total
        if replicas % size:
            raise ValueError(f"norms.experimental.distributed_batch_norm_replica_group_size is {size}, which does not divide "
                             f"the {replicas} replica{'s' if replicas > 1 else ''} of the program.")
        return size

    def adapt(self, options):
        for name, value in self._changed.items():
            if TABLE[name].act is not None:
                TABLE[name].act(options, value)
        flag = flags.current()
        if flag.synthetic_for("infeed") and flag.synthetic_for("outfeed"):
            options.syntheticDataMode = popart.SyntheticDataMode.Zeros  # for results: inputs are variables
        if flag.log_cycle_count >= 0:
            options.instrumentWithHardwareCycleCounter = True
        if flag.dump_schedule_as_dot:
            options.dotChecks = {"Final"}
            options.logDir = options.logDir or os.getcwd()
        return options

    # ---- data that is made up

    def synthetic(self, inputs):
        return synthetic.inputs(inputs) if flags.current().synthetic_for("infeed") else None

    @property
    def drops_results(self):
        return flags.current().synthetic_for("outfeed")

    @property
    def parameters(self):
        return synthetic.parameter if flags.current().synthetic_for("parameters") else None

    @property
    def sends_seed(self):
        return not flags.current().synthetic_for("seed")

    def cache(self):
        """Executables that are kept, or None: no folder is named, or PopART has none for such a device."""
        folder = flags.current().executable_cache_path or self.saves_to
        if self._is_model or not folder:
            return None
        try:
            return popart_core._Cache(os.fsencode(os.path.expanduser(folder)), "choose another executable_cache_path")
        except OSError as problem:
            raise PermissionDeniedError(None, None, str(problem)) from problem

    def load(self, executable):
        if not self.info.isAttached and not self.only_compiles:
            try:
                runtime.attach(self.info)
            except runtime.InUse as why:
                if not self.info.tryAttachUntilTimeout():
                    raise ResourceExhaustedError(None, None, f"The IPU device could not be attached in time. {why}") from None
        super().load(executable)

    def release(self):
        if self.loaded is not None:
            self.loaded.fetch()
            self.loaded = None
        try:
            if self.info.isAttached:
                self.info.detach()
        except failures:
            pass
        self.released = True
