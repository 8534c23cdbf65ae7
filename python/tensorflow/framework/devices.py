# SPDX-License-Identifier: MIT
"""What programs run on: the host's own device for everything outside of an IPU scope, and the IPUs of a configuration."""
import threading

import popart
from .errors import FailedPreconditionError, translated
from .seeds import global_seed


class Device:
    """A device of PopART with the program that is on it."""

    def __init__(self, info, adapt=None):
        self.info = info
        self.loaded = None
        self.turn = threading.RLock()  # loading a program, sending its variables and running it are one thing
        self._adapt = adapt

    only_compiles = never_runs = released = False
    share = None  # of the replicas that several processes have
    drops_results = False  # results are not transferred
    parameters = None  # a function: what the device has in place of a variable's values
    sends_seed = True  # or one that nobody gave

    def synthetic(self, inputs):
        """Arrays that stand for these inputs of a program, or None: the host sends them."""
        return None

    def cache(self):
        """Executables that are kept, a popart_core._Cache; None: there are none."""
        return None

    def report_name(self, name):
        """The folder of a program's reports, below that of the option autoReport.directory."""
        return name

    def adapt(self, options):
        if self._adapt is not None:
            self._adapt(options)

    def load(self, executable):
        if self.released:
            raise FailedPreconditionError(None, None, "The IPU system was configured again since this program was compiled, "
                                          "and its device is gone. Compile the model again.")
        if self.loaded is not None:
            self.loaded.require_idle("run another one on the same device")
        before, self.loaded = self.loaded, None
        if before is not None:
            before.fetch()
            before.random.leaving()
        with translated():
            executable.session.loadEngineAndConnectStreams()
            executable.host_calls.connect(executable.session)
            self._start_random(executable)
        self.loaded = executable

    seed = None  # of random numbers, where somebody set one for this device

    def set_seed(self, seed):
        """Random numbers of all programs on this device start from here."""
        self.seed = seed
        if self.loaded is not None:
            self.loaded.random.seed(seed)
        self._seeded = set() if self.loaded is None else {id(self.loaded)}

    def _start_random(self, executable):
        """Once for every program: the device's seed, or that of tf.random.set_seed. Later it goes on where it was."""
        seeded = self.__dict__.setdefault("_seeded", set())
        seed = self.seed if self.seed is not None else global_seed()
        if not self.sends_seed:
            seed = 0
        if seed is not None and id(executable) not in seeded:
            executable.random.seed(seed)
        seeded.add(id(executable))
        executable.random.loaded()


def _checks_indices(options):
    options.engineOptions.update({"debug.checkIndices": "true"})


def host():
    """A device of its own for every program: they do not wait for each other. An index out of range is an error there."""
    return Device(popart.DeviceManager().createCpuDevice(), _checks_indices)
