# SPDX-License-Identifier: MIT
"""Sessions as Python programs use them: numpy arrays for anchors, files or bytes for models."""
import os

import numpy as np

from popart import popart_core as core


class OutOfMemoryException(core.session_outofmemory_exception):
    """The program does not fit the tiles' memory."""

    def __init__(self, message, report="", profile=""):
        super().__init__(message)
        self._report, self._profile = report, profile

    def getSummaryReport(self):
        return self._report

    def getProfilePath(self):
        return self._profile


def _model(model):
    if isinstance(model, bytes):
        return model
    return os.fspath(model).encode()


def _fitting(compile):
    try:
        compile()
    except core.session_outofmemory_exception as e:
        raise OutOfMemoryException(str(e), e._report, e._profile) from None


class _Session:
    def __init__(self, impl):
        self._impl = impl

    def __getattr__(self, name):
        return getattr(self._impl, name)

    def prepareDevice(self, loadEngine=True):
        """Compiles the model, and loads it on the device."""
        _fitting(lambda: self._impl.prepareDevice(loadEngine))

    def compileAndExport(self, filename):
        """Compiles the model into a file that another process loads with loadExecutable."""
        _fitting(lambda: self._impl.compileAndExport(os.fspath(filename)))

    def modelToHost(self, filename):
        """Writes the model with the device's weights into a file."""
        self._impl.modelToHost(os.fspath(filename))

    def initAnchorArrays(self):
        """An array for every anchor, of the shape that one step fills."""
        return {
            name: np.empty(info.shape(), dtype=info.data_type_lcase())
            for name, info in self._impl._anchorArrayInfos().items()
        }


class InferenceSession(_Session):
    def __init__(self, fnModel, dataFlow, deviceInfo, inputShapeInfo=None, patterns=None, userOptions=None,
                 name="inference"):
        super().__init__(
            core._InferenceSessionCore(_model(fnModel), dataFlow, deviceInfo, inputShapeInfo or core.InputShapeInfo(),
                                       userOptions or core.SessionOptions(), patterns or core.Patterns(), name))


class TrainingSession(_Session):
    def __init__(self, fnModel, dataFlow, loss, optimizer, deviceInfo, inputShapeInfo=None, patterns=None,
                 userOptions=None, name="training"):
        super().__init__(
            core._TrainingSessionCore(_model(fnModel), dataFlow, loss, optimizer, deviceInfo,
                                      inputShapeInfo or core.InputShapeInfo(), userOptions or core.SessionOptions(),
                                      patterns or core.Patterns(), name))
