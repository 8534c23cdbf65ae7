# SPDX-License-Identifier: MIT
"""A compiled program on IPUs: one session, and steps on the memory of feeds and results."""
import os
import sys
import threading

import numpy as np
import popart
import popart_core
from popart_core import runtime

from .. import errors, random_state, steps
from ..dtypes import VarType, to_numpy, to_type
from ..paddle_core import ConversionSettings, convert
from . import devices, distribution
from .optimizer_state import OptimizerState
from .optimizers import ExtractedOptimizer


def settings_of(strategy):
    out = ConversionSettings()
    get = strategy.get_option
    out.training, out.half, out.micro_batch = get("is_training"), get("enable_fp16"), get("micro_batch_size")
    out.ipus, out.pipelined = strategy.ipus_per_replica, strategy.enable_pipelining
    out.sharded = get("enable_manual_shard") and out.ipus > 1
    out.averaged = get("need_avg_shard") and out.ipus > 1
    out.memory_proportion = get("available_memory_proportion")
    out.custom = {op["paddle_op"]: (".".join(filter(None, (op["domain"], op["popart_op"]))), op["version"])
                  for op in get("custom_op")}
    if out.ipus > 1 and not (out.sharded or out.averaged):
        raise ValueError(f"num_ipus={strategy.num_ipus} needs enable_manual_shard=True with ipu_shard_guard, "
                         "need_avg_shard=True, or replicas.")
    return out


def _warn(text):
    if text:
        print(f"Warning: {text}", file=sys.stderr)


class IpuRunner:
    def __init__(self, program, feeds, fetches, strategy, scope):
        self._scope, self._strategy, self._training = scope, strategy, strategy.is_training
        self._program, self._feeds, self._evaluation = program, list(feeds), None
        variables = {v.name: scope.array(v.name) for v in program.list_vars()
                     if v.persistable and v.type == VarType.LOD_TENSOR and scope.array(v.name) is not None}
        typed = {name: (int(to_type(a.dtype)), a) for name, a in variables.items()}
        made = convert(program.serialize_to_string(), [(name, None) for name in feeds], fetches, typed,
                       settings_of(strategy))
        converted, self._inputs, self._outputs, created, used = made
        if created:
            raise ValueError(f"The variable {created[0][0]!r} is not initialized: run the startup program before.")
        self._fetches = list(fetches)
        self._known = {v.name for v in program.list_vars()}
        self._changed = set(converted.changed)
        self._optimizer = ExtractedOptimizer(program, strategy, scope) if self._training else None
        self._sent_rate = None
        self._attached = False
        self._turn = threading.RLock()  # one thread at a time; nobody else takes the IPUs meanwhile
        with self._turn, errors.translated():
            self._compile(converted)
            self._prepare()

    # ---- compiling

    def _compile(self, converted):
        strategy = self._strategy
        options = self._options = strategy.session_options()
        self._finish_options(options)
        self._compiled_only = runtime.is_on("IPU_COMPILE_ONLY")
        if self._compiled_only:
            self._device = runtime.offline(strategy.reserved_ipus)
        else:
            chosen = distribution.device_id(strategy) if strategy.get_option("enable_distribution") else None
            self._device = devices.acquire(strategy.reserved_ipus, strategy.get_option("tiles_per_ipu"), chosen)
        flow = (strategy.get_option("batches_per_step"), popart.AnchorReturnType("All"), {})
        if self._training:
            rate = steps.schedule(self._program, self._scope) or self._optimizer.rate()
            session = converted.training(*flow, self._optimizer.optimizer(rate), self._device, options, strategy.patterns(),
                                         "training")
            self._sent_rate = rate
        else:
            session = converted.inference(*flow, self._device, options, strategy.patterns(), "inference")
        self._session = session
        self._weights = runtime.Weights(session, self._training or bool(self._changed))
        if self._compiled_only:
            session.compileAndExport("offline_cache.popart")
            return
        session.prepareDevice(True)
        _warn(runtime.memory_advice(session, self._device))
        self._attached = True
        devices.take_turns(self)
        self._random = runtime.Random()
        self._random.of(session)
        self._random.seed(self._seed())
        self._random.loaded()
        if self._training:
            self._state = OptimizerState(session, self._optimizer.ops, self._scope, self._optimizer.state_scaling)
            self._state.send()
        self._weights.send()
        dump = strategy.get_option("onnx_dump_path") or os.environ.get("IPU_ONNX_DUMP_PATH", "")
        if dump:
            self.save_model(dump)

    def _seed(self):
        seed = self._strategy.get_option("random_seed")
        return seed if seed != 2**64 - 1 else random_state.next_seed(self._program)

    def _finish_options(self, options):
        if not self._training:
            options.constantWeights = False  # set_value and new parameters go to the device
        if not options.enableEngineCaching:
            runtime.keep_executables(options, os.environ.get("IPU_CACHE_PATH", ""))

    # ---- running

    def _prepare(self):
        strategy = self._strategy
        batches, accumulation = strategy.get_option("batches_per_step"), strategy.accumulation
        if not self._training:
            accumulation = 1
        self._times = batches * accumulation * strategy.replicas
        lead = [n for n in (strategy.replicas if strategy.get_option("enable_replicated_graphs") else 1, accumulation,
                            batches) if n > 1]
        self._whole = [(name, kind, (shape[0] * self._times, *shape[1:]) if shape else (self._times,))
                       for name, kind, shape in self._inputs]
        self._forms = [((*lead, *shape), steps.device_numpy(kind), to_numpy(kind)) for _, kind, shape in self._outputs]
        results = [(name, kind, shape) for (name, kind, _), (shape, _, _) in zip(self._outputs, self._forms)]
        self._io = popart_core.AddressIo(steps.described(self._whole), steps.described(results, True))
        self._rows = (f" One run takes micro_batch_size={strategy.get_option('micro_batch_size')} x batches_per_step={batches}"
                      f" x accumulation_factor={accumulation} x replicas={strategy.replicas} rows.")

    def run(self, feed, fetches):
        with self._turn:
            return self._run(feed, fetches)

    def _run(self, feed, fetches):
        if fetches != self._fetches:
            raise ValueError(f"The program was compiled to fetch {self._fetches}, not {fetches}. Fetch those, or compile "
                             "it again.")
        if self._training and self._strategy.get_option("runtime_options.enable_eval"):
            return self._evaluate(feed)
        if len(feed) > len(self._whole):
            steps.refuse_unknown(feed, self._known)
        arrays = steps.arrays_of(self._whole, feed, self._rows)
        if self._compiled_only:
            print("IPU_COMPILE_ONLY is set: offline_cache.popart is written, and nothing runs.", file=sys.stderr)
            return [np.zeros(shape, wanted) for shape, _, wanted in self._forms]
        results = [np.empty(shape, kind) for shape, kind, _ in self._forms]
        if not self._attached:
            self._attach()
        if self._weights.newer_on_host:
            self._weights.send()
        if self._training:
            self._send_rate()
        self._io.set([a.ctypes.data for a in arrays], [r.ctypes.data for r in results])
        try:
            with errors.translated():
                self._weights.run(self._session, self._io)
        finally:
            _warn(self._weights.loss())
        return [r.astype(wanted, copy=False) for r, (_, _, wanted) in zip(results, self._forms)]

    def _evaluate(self, feed):
        """The forward pass with the weights as they are now. What it changes, such as moving statistics, does not come back."""
        if not self._fetches:
            return []
        self.weights_to_host()
        if self._evaluation is None:
            self._evaluation = IpuRunner(self._program, self._feeds, self._fetches, self._strategy.of_evaluation(), self._scope)
            self._evaluation._changed = set()
        else:
            self._evaluation.weights_from_host()
        results = self._evaluation.run(feed, self._fetches)
        return [r.reshape(shape) for r, (shape, _, _) in zip(results, self._forms)]

    def _send_rate(self):
        rate = steps.schedule(self._program, self._scope)
        if rate is None:
            rate = self._optimizer.rate()
        if rate != self._sent_rate:
            self._session.updateOptimizerFromHost(self._optimizer.optimizer(rate))
            self._sent_rate = rate

    # ---- weights

    def weights_to_host(self):
        if not self._training and not self._changed:
            print("weights_to_host: the program is not trained, so the scope has its weights.", file=sys.stderr)
            return
        if self._attached and self._weights.fetch() and self._training:
            self._state.fetch()

    def weights_from_host(self):
        with self._turn:
            if self._attached:
                self._weights.send()
            else:
                self._weights.replaced()

    def save_model(self, path):
        """The model in ONNX, with the weights that it has now."""
        self._session.modelToHost(path)

    def give_up(self):
        """Somebody needs IPUs, which a program has in a step alone."""
        if self._turn.acquire(blocking=False):
            try:
                self.detach()
            finally:
                self._turn.release()

    def detach(self):
        """Others may have the IPUs; what was learnt is in the scope."""
        with self._turn:
            if self._compiled_only or not self._attached:
                return
            if self._training or self._changed:
                self.weights_to_host()
            self._random.leaving()
            self._device.detach()
            self._attached = False

    def _attach(self):
        devices.reattach(self._device)
        self._session.loadEngineAndConnectStreams()
        self._random.loaded()
        self._weights.replaced()
        self._attached = True

    @property
    def session(self):
        return self._session
