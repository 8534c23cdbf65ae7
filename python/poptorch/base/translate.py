# SPDX-License-Identifier: MIT
"""What C++ throws, as poptorch's errors."""
import functools
import re

import popart_core
from popart import _failures

from poptorch.errors import Error, RecoverableError, UnrecoverableError

failures = _failures.ALL

# Settings that need less memory, as PopART names them and as a user of PopTorch sets them.
_SETTINGS = {
    r"availableMemoryProportion=([0-9.]+) in convolutionOptions and matmulOptions":
        r"Options.setAvailableMemoryProportion of \1 for every IPU",
    r"autoRecomputation=(\w+)": r'Options._Popart.set("autoRecomputation", int(popart.RecomputationType.\1))',
    r"optimizerStateTensorLocationSettings with TensorStorage::OffChip":
        "Options.TensorLocations.setOptimizerLocation(poptorch.TensorLocationSettings().useOnChipStorage(False))",
    r"virtualGraphMode=Auto on (\d+) IPUs": r"the layers in blocks (poptorch.BeginBlock) on \1 IPUs"}


def _in_our_words(text):
    """Advice about memory stands at the end."""
    told, begin, advice = text.partition("Compiled again with other settings")
    for theirs, ours in _SETTINGS.items():
        advice = re.sub(f"(?<= bytes with ){theirs}", ours, advice)
    return told + begin + advice


def _as(kind):
    return lambda problem: kind(_in_our_words(str(problem)), type(problem).__name__)


def _recoverable(problem):
    return RecoverableError(_in_our_words(str(problem)), type(problem).__name__, recovery_action=problem.recoveryAction.name)


_TABLE: _failures.Table = {
    **dict.fromkeys(failures, _as(Error)),
    popart_core.poplar_unrecoverable_runtime_error: _as(UnrecoverableError),
    popart_core.poplar_recoverable_runtime_error: _recoverable}


def translated():
    """Errors of the layers below come out as poptorch.Error and its like."""
    return _failures.translated(_TABLE)


def entry(method):
    """A method of an executor that users call: one thread at a time, with errors as poptorch's."""
    @functools.wraps(method)
    def called(self, *args, **kwargs):
        with self._lock, translated():
            return method(self, *args, **kwargs)
    return called
