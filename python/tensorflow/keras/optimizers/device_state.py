# SPDX-License-Identifier: MIT
"""What a fused optimiser keeps on the device, seen through the optimiser's slots: they are fetched when somebody looks at them,
and sent when somebody (set_weights, another program) has changed them."""
import threading

import numpy as np
from tensorflow.framework.context import unless_called


class DeviceState:
    """rows: (the session's name of a tensor, the slot, the factor between the slot and it)."""

    def __init__(self, optimizer, executable, variables):
        self._optimizer, self._executable = optimizer, executable
        known = executable.session.getOptimizerStateIds()
        self._rows, self._steps = [], []
        for variable in variables:
            ids = known.get(executable.names.get(id(variable)), {})
            optimizer.create_slots(variable)
            for slot, (here, factor) in optimizer.fused_slots().items():
                if here in ids:
                    self._rows.append((ids[here], optimizer.get_slot(variable, slot), factor))
            if "Step" in ids:
                self._steps.append(ids["Step"])
        self._sent = None
        self._fetching, self._noting = threading.RLock(), threading.RLock()  # as an executable has them

    def _versions(self):
        return [self._optimizer.iterations.version, *[slot.version for _, slot, _ in self._rows]]

    def before_run(self):
        if not self._rows and not self._steps:
            return
        for _, slot, _ in self._rows:
            if slot.newest is not None and slot.newest is not self:
                slot.fetch()
        if self._sent != self._versions():
            self._send()

    def after_run(self):
        """The iterations are counted already."""
        with self._noting:
            for _, slot, _ in self._rows:
                slot.version += 1
                slot.newest = self
        self._sent = self._versions()

    def _send(self):
        self.fetch()
        step = np.array(self._optimizer.iterations.numpy(), np.float32)
        arrays = {name: np.ascontiguousarray(slot.numpy() * np.float32(factor), self._kind(name))
                  for name, slot, factor in self._rows}
        arrays |= {name: step for name in self._steps}
        self._executable.write(arrays)

    def _kind(self, name):
        return self._executable.session.getInfo(name).data_type_lcase()

    def fetch(self):
        """The slots have what the device has."""
        with unless_called(self._fetching):
            with self._noting:
                ours = [(*row, row[1].version) for row in self._rows if row[1].newest is self]
            if not ours:
                return
            arrays = {name: np.empty(slot.shape.as_list(), self._kind(name)) for name, slot, *_ in ours}
            self._executable.read(arrays)
            for name, slot, factor, version in ours:
                self._fetched(slot, arrays[name] * np.float32(factor), version)

    def _fetched(self, slot, values, version):
        """The host has this version; another thread's step may have made a newer one meanwhile."""
        with unless_called(slot.lock):
            slot.memory[...] = values
        with self._noting:
            if slot.version == version:
                slot.newest = None
