# SPDX-License-Identifier: MIT
"""Sessions as Python programs use them: numpy arrays for anchors, files or bytes for models."""
import os
from typing import Any, Callable

import numpy as np
import popart_core as core
import pva


class OutOfMemoryException(core.session_outofmemory_exception):
    """The program does not fit the tiles' memory."""

    def __init__(self, message: str, report: str = "", profile: str = "") -> None:
        super().__init__(message)
        self._report, self._profile = report, profile

    def getSummaryReport(self) -> str:
        """What lies on the tiles."""
        return self._report

    def getProfilePath(self) -> str:
        """Where the profile was written."""
        return self._profile


def _model(model: Any) -> Any:
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    try:
        return os.fsencode(model)
    except TypeError:
        raise TypeError("fnModel must be the bytes of an ONNX model or the name of a file, not "
                        f"{type(model).__name__}.") from None


def _fitting(compile: Callable[[], None]) -> None:
    try:
        compile()
    except core.session_outofmemory_exception as e:
        report, profile = getattr(e, "_report"), getattr(e, "_profile")  # set by the core
        raise OutOfMemoryException(str(e), report, profile) from None


_BITS = {"bfloat16": "uint16", "float8_143": "uint8", "float8_152": "uint8"}  # types that numpy does not have


class _Session:
    """What both kinds of sessions do in Python, before the core's class, which both also are."""

    _anchorArrayInfos: "Callable[[], dict[str, core.TensorInfo]]"

    @property
    def _impl(self) -> Any:
        return self

    def prepareDevice(self, loadEngine: bool = True) -> None:
        """Compiles the model, and loads it on the device."""
        _fitting(lambda: super(_Session, self).prepareDevice(loadEngine))  # type: ignore[misc]

    def compileAndExport(self, filename: Any) -> None:
        """Compiles the model into a file that another process loads with loadExecutable."""
        _fitting(lambda: super(_Session, self).compileAndExport(os.fspath(filename)))  # type: ignore[misc]

    def modelToHost(self, filename: Any) -> None:
        """Writes the model with the device's weights into a file."""
        super().modelToHost(os.fspath(filename))  # type: ignore[misc]

    def getReport(self) -> "pva.Report":
        """The profile so far: what was compiled and what ran."""
        return super().getReport()  # type: ignore[misc]

    def initAnchorArrays(self) -> "dict[str, np.ndarray[Any, Any]]":
        """An array for every anchor, of the shape that one step fills."""
        return {
            name: np.empty(info.shape(), dtype=_BITS.get(info.data_type_lcase(), info.data_type_lcase()))
            for name, info in self._anchorArrayInfos().items()
        }


class InferenceSession(_Session, core._InferenceSessionCore):
    """Runs a model on a device. Threads may share a session: each step gets its own results."""

    def __init__(self, fnModel: Any, dataFlow: core.DataFlow, deviceInfo: core.DeviceInfo,
                 inputShapeInfo: "core.InputShapeInfo | None" = None, patterns: "core.Patterns | None" = None,
                 userOptions: "core.SessionOptions | None" = None, name: str = "inference") -> None:
        """fnModel is the name of an ONNX file, or a model's bytes; dataFlow says what a step returns."""
        core._InferenceSessionCore.__init__(
            self, _model(fnModel), dataFlow, deviceInfo, core.InputShapeInfo() if inputShapeInfo is None else inputShapeInfo,
            core.SessionOptions() if userOptions is None else userOptions,
            core.Patterns() if patterns is None else patterns, name)


class TrainingSession(_Session, core._TrainingSessionCore):
    """Trains a model on a device."""

    def __init__(self, fnModel: Any, dataFlow: core.DataFlow, loss: str, optimizer: core.Optimizer,
                 deviceInfo: core.DeviceInfo, inputShapeInfo: "core.InputShapeInfo | None" = None,
                 patterns: "core.Patterns | None" = None, userOptions: "core.SessionOptions | None" = None,
                 name: str = "training") -> None:
        """loss is the tensor that training makes small; the rest as in InferenceSession."""
        core._TrainingSessionCore.__init__(
            self, _model(fnModel), dataFlow, loss, optimizer, deviceInfo,
            core.InputShapeInfo() if inputShapeInfo is None else inputShapeInfo,
            core.SessionOptions() if userOptions is None else userOptions,
            core.Patterns() if patterns is None else patterns, name)
