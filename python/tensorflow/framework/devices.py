# SPDX-License-Identifier: MIT
"""What programs run on: the host's own device for everything outside of an IPU scope, and the IPUs of a configuration."""
import popart
from .errors import FailedPreconditionError, translated


class Device:
    """A device of PopART with the program that is on it."""

    def __init__(self, info, adapt=None):
        self.info = info
        self.loaded = None
        self._adapt = adapt

    only_compiles = never_runs = released = False

    def cache_file(self, key):
        """Where an executable of this hash is kept; None: nowhere."""
        return None

    def adapt(self, options):
        if self._adapt is not None:
            self._adapt(options)

    def load(self, executable):
        if self.released:
            raise FailedPreconditionError(None, None, "The IPU system was configured anew since this program was compiled, "
                                          "and its device is gone. Compile the model again.")
        before, self.loaded = self.loaded, None
        if before is not None:
            before.fetch()
        with translated():
            executable.session.loadEngineAndConnectStreams()
        self.loaded = executable


def host():
    """A device of its own for every program: they do not wait for each other."""
    return Device(popart.DeviceManager().createCpuDevice())
