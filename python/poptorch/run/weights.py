# SPDX-License-Identifier: MIT
"""The weights of a model on both sides: in torch's memory and on the device, and where they are newer."""
from popart_core import runtime

from poptorch.module.weights import OwnerOf, is_owned, set_owner, unwrap_tensors, wrap_tensors


class DeviceWeights:
    """Of an executor.

    newer_on_device: the host's are old. upload: the device's are old. used: those of the compiled model; changed: names of
    those that it writes to; version: counts changes of the weights, for wrappers that share them."""

    def __init__(self):
        self.used, self.changed = [], frozenset()
        self._state, self._versions_before = None, 0  # popart_core's Weights of the session, and of those before it
        self.owned = []  # whoever reads these on the host gets the device's
        self._copies = []
        self._uploaded_version = -1
        self._owner = None

    def begin(self, used, changed, executor):
        """Of a compilation."""
        self.used, self.changed = used, frozenset(changed)
        self._copies = [weight for weight in used if weight.is_copy]
        self._owner = OwnerOf(used, executor)

    def of(self, session, training):
        """The session that the compilation led to."""
        self._state = runtime.Weights(session, training or bool(self.changed))

    @property
    def newer_on_device(self):
        return self._state is not None and self._state.newer_on_device

    @property
    def upload(self):
        return self._state.newer_on_host

    @property
    def version(self):
        return self._versions_before + (self._state.version if self._state is not None else 0)

    def replaced(self):
        """The host has others, or the device has none."""
        self._state.replaced()

    def own(self, executor, training):
        """Whoever reads weights that the device changes gets them from there; of inference, what forward() writes."""
        self.owned = self.used if training else [w for w in self.used if w.name in self.changed and not is_owned(w)]
        set_owner(self.owned, executor)
        wrap_tensors(self.owned)

    def release(self, executor):
        unwrap_tensors(self.owned, executor)

    def drop(self):
        """There is no device any more."""
        self._versions_before, self._state = self.version + 1, None

    def owner(self):
        """The training that has any of these weights, if it is another one."""
        return self._owner.get()

    def others_trained(self):
        """Whether another executor has trained these weights since the device got them."""
        owner = self._owner.get()
        return (owner._weights.version if owner is not None else 0) != self._uploaded_version

    def run(self, session, io, host_calls):
        """A step. What functions of the host raised is raised after it."""
        self._state.run(session, io, host_calls)

    def loss(self):
        """What to say after a step that failed; "": nothing is lost."""
        return self._state.loss()

    def send(self):
        """The host's go to the device."""
        owner = self._owner.get()
        version = owner._weights.version if owner is not None else 0  # at least
        for weight in self._copies:
            weight.read_host()
        self._state.send()
        self._uploaded_version = version

    def fetch(self):
        """The device's come to the host, also if those are newer."""
        self._state.fetch(True)
        for weight in self._copies:
            weight.write_host()
