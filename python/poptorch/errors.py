# SPDX-License-Identifier: MIT
"""What goes wrong. The C++ module raises these classes too."""
from typing import Iterable


class Error(Exception):
    """A mistake of the model or of its use. type: what kind; message: what; location: where, as a list of places."""

    def __init__(self, message: str = "", type: str = "", location: Iterable[str] = ()):  # the attribute's name
        super().__init__(message)
        self.type = type
        self.message = message
        self.location = location

    def __reduce__(self):
        return self.__class__, (self.message, self.type, self.location)

    def __str__(self):
        return f"'{self.type}': {self.message}" if self.type else self.message


class RecoverableError(Error):
    """The machine failed. recovery_action: IPU_RESET, LINK_RESET, PARTITION_RESET or FULL_RESET."""

    def __init__(self, message: str = "", type: str = "", location: Iterable[str] = (),
                 recovery_action: str = ""):
        super().__init__(message, type, location)
        self.recovery_action = recovery_action

    def __reduce__(self):
        return self.__class__, (self.message, self.type, self.location, self.recovery_action)


class UnrecoverableError(Error):
    """The machine failed for good."""


class UsageError(Error, AssertionError):
    """A call at the wrong time or with a wrong value. Programs may catch either."""


class StateError(Error, RuntimeError):
    """A state that an optimizer cannot take. Programs may catch either."""


class ConfigFileError(Exception):
    """A line of a file of options that is no option."""


def createPoptorchError(message: str) -> Error:
    """An Error of the Python half, which prints as 'poptorch_py_error': message."""
    return Error(message, "poptorch_py_error")


def unsupported(places: "list[str]") -> Error:
    """Operators that a model cannot have; each as "name (where)"."""
    names = ", ".join(dict.fromkeys(place.split(" ")[0] for place in places))
    return createPoptorchError(f"Unsupported ops found in compiled model: [{names}]. Not all operations are supported yet by "
                               "Graphcore's PyTorch frontend; they stand at:\n  " + "\n  ".join(places))


def require(condition, message: str):
    """UsageError unless the condition holds; also where Python leaves assertions out."""
    if not condition:
        raise UsageError(message)
