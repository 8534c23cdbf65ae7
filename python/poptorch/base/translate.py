# SPDX-License-Identifier: MIT
"""What C++ throws, as poptorch's errors."""
import contextlib
import functools
import re

import popart_core

from poptorch.errors import Error, RecoverableError, UnrecoverableError

_recoverable = popart_core.poplar_recoverable_runtime_error
_unrecoverable = popart_core.poplar_unrecoverable_runtime_error
_others = (popart_core.popart_exception, popart_core.poplar_exception, popart_core.poplibs_exception)

failures = (_recoverable, _unrecoverable, *_others)

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


def error_of(problem):
    """The poptorch.Error for what a layer below raised."""
    kind, text = type(problem).__name__, _in_our_words(str(problem))
    if isinstance(problem, _recoverable):
        return RecoverableError(text, kind, recovery_action=problem.recoveryAction.name)
    return (UnrecoverableError if isinstance(problem, _unrecoverable) else Error)(text, kind)


@contextlib.contextmanager
def translated():
    """Errors of the layers below come out as poptorch.Error and its like."""
    try:
        yield
    except failures as problem:
        raise error_of(problem) from None  # which says the same


def entry(method):
    """A method of an executor that users call: one thread at a time, with errors as poptorch's."""
    @functools.wraps(method)
    def called(self, *args, **kwargs):
        with self._lock:
            try:
                return method(self, *args, **kwargs)
            except failures as problem:
                raise error_of(problem) from None  # which says the same
    return called
