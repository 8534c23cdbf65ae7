# SPDX-License-Identifier: MIT
"""What C++ throws, as each front end's errors: one meaning of every class."""
import paddle.errors
import popart_core
import poptorch
import pytest
import tensorflow as tf
from popart import _failures
from poptorch.base import translate
from tensorflow.framework import errors

CLASSES = [value for name, value in vars(popart_core).items()
           if name.startswith(("pop", "session_")) and isinstance(value, type) and issubclass(value, Exception)]
WRONG, INTERNAL, MEMORY, RECOVERABLE = (
    (tf.errors.InvalidArgumentError, ValueError, poptorch.Error), (tf.errors.InternalError, RuntimeError, poptorch.Error),
    (tf.errors.ResourceExhaustedError, MemoryError, poptorch.Error),
    (tf.errors.UnavailableError, RuntimeError, poptorch.RecoverableError))
MEANINGS = {
    "popart_exception": WRONG, "popart_runtime_error": WRONG, "poplibs_exception": WRONG,
    "popart_internal_exception": INTERNAL, "session_outofmemory_exception": MEMORY,
    "poplar_system_runtime_error": INTERNAL, "poplar_recoverable_runtime_error": RECOVERABLE,
    "poplar_unrecoverable_runtime_error": (tf.errors.InternalError, RuntimeError, poptorch.UnrecoverableError),
    "poplar_unknown_runtime_error": INTERNAL,
    **dict.fromkeys(("poplar_exception", "poplar_runtime_error", "poplar_application_runtime_error"),
                    (tf.errors.InvalidArgumentError, RuntimeError, poptorch.Error))}


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_class_has_a_meaning_in_every_front_end(kind):
    problem = kind("the tile is full")
    problem.recoveryAction = popart_core.RecoveryAction.IPU_RESET
    for translated, wanted in zip((errors.translated, paddle.errors.translated, translate.translated),
                                  MEANINGS[kind.__name__]):
        with pytest.raises(Exception, match="the tile is full") as caught, translated():
            raise problem
        assert type(caught.value) is wanted


def test_other_errors_pass():
    for translated in (errors.translated, paddle.errors.translated, translate.translated):
        with pytest.raises(KeyError), translated():
            raise KeyError("x")


def test_a_class_without_a_row_is_as_its_base():
    table = {popart_core.popart_exception: lambda problem: KeyError(str(problem))}
    assert type(_failures.error_of(popart_core.popart_internal_exception("x"), table)) is KeyError
