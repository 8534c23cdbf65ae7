# SPDX-License-Identifier: MIT
"""The device of a model, and whether the model is on it."""
import popart_core

from poptorch._logging import logger
from poptorch.run import devices


class Attachment:
    """Of an executor: device is PopART's, None as long as there is none; attached: the program is loaded there."""

    def __init__(self):
        self.device, self.attached = None, False

    def acquire(self, options, ipus_per_replica):
        """A device for a compilation."""
        self.device = devices.acquire(options, ipus_per_replica)
        logger.debug("The model has a device of %d IPU(s), %d per replica", self.device.numIpus, ipus_per_replica)
        return self.device

    def take(self):
        """The device again, after leave()."""
        if not self.device.isAttached:
            devices.attach(self.device)

    def leave(self):
        """Others may have the device."""
        self.device.detach()
        self.attached = False
        logger.debug("The model is detached from its device")

    def drop(self):
        """There is no device any more."""
        try:
            if self.device is not None and self.device.isAttached:
                self.device.detach()
        except popart_core.popart_exception:
            pass
        self.device, self.attached = None, False
