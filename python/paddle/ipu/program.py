# SPDX-License-Identifier: MIT
"""IpuCompiledProgram: a program compiled for IPUs. IpuBackend: what its device knows."""
from __future__ import annotations

from typing import Any, Sequence

from .. import current, scopes
from ..program import Program
from ..variable import Variable
from .runner import IpuRunner
from .strategy import IpuStrategy
from ..typed import ProgramLike


class IpuBackend:
    """Paddle has one for all programs; here every compiled program has its own, and this is the last."""
    _instance = None

    def __init__(self):
        self._runner = self._scope = self._strategy = None

    @staticmethod
    def get_instance():
        if IpuBackend._instance is None:
            IpuBackend._instance = IpuBackend()
        return IpuBackend._instance

    def _need(self):
        if self._runner is None:
            raise RuntimeError("(PreconditionNotMet) No program was compiled for IPUs yet: call IpuCompiledProgram.compile.")
        return self._runner

    def weights_to_host(self):
        """The scope gets what the device has learnt."""
        self._need().weights_to_host()

    def detach(self):
        """Frees the IPUs."""
        if self._runner is not None:
            self._runner.detach()

    def reset(self):
        self.detach()
        self._runner = None

    def set_scope(self, scope):
        self._scope = scope

    def set_ipu_strategy(self, strategy):
        self._strategy = strategy

    def save_model_proto(self, path):
        """The model in ONNX."""
        self._need().save_model(path)


class IpuCompiledProgram:
    """compile() gives a program that Executor.run runs on IPUs."""

    def __init__(self, program: ProgramLike | None = None, scope: Any = None, ipu_strategy: Any = None) -> None:
        program = current.default_main_program() if program is None else program
        if not isinstance(program, Program):
            raise TypeError(f"The type of program is wrong, expected Program, but got {type(program)}.")
        if ipu_strategy is not None and not isinstance(ipu_strategy, IpuStrategy):
            raise TypeError(f"ipu_strategy must be a paddle.static.IpuStrategy, not {ipu_strategy!r}.")
        self._program = program
        self._scope = scope or scopes.global_scope()
        self._ipu_strategy = ipu_strategy or IpuStrategy()
        self._backend = IpuBackend()

    def compile(self, feed_list: Sequence, fetch_list: Sequence) -> Program:
        """The program for these feeds and fetches (names or variables)."""
        feeds, fetches = _names("feed_list", feed_list), _names("fetch_list", fetch_list)
        block = self._program.global_block()
        for name in (*feeds, *fetches):
            if not block.has_var(name):
                raise ValueError(f"The program has no variable {name!r}. Its data: "
                                 f"{', '.join(v.name for v in block.vars.values() if v.is_data)}.")
        repeated = sorted({name for name in feeds if feeds.count(name) > 1})
        if repeated:
            raise ValueError(f"feed_list names {', '.join(map(repr, repeated))} more than once.")
        if not fetches and not self._ipu_strategy.is_training:
            raise ValueError("fetch_list is empty: a program that is not trained computes what is fetched, so that this one "
                             "would do nothing.")
        program: Any = self._program.clone()
        program.lr_scheduler, program._lr_variable = self._program.lr_scheduler, self._program._lr_variable
        runner = IpuRunner(program, feeds, fetches, self._ipu_strategy, self._scope)
        self._ipu_strategy.need_compile = False
        self._backend._runner = IpuBackend.get_instance()._runner = runner
        program._ipu_runner = runner
        program.org_program = self._program
        return program


def _names(what, values):
    if isinstance(values, (str, Variable)):
        values = [values]
    if not isinstance(values, (list, tuple)) or not all(isinstance(v, (str, Variable)) for v in values):
        raise TypeError(f"{what} must be a list of names or variables, not {values!r}.")
    return [v.name if isinstance(v, Variable) else v for v in values]
