# SPDX-License-Identifier: MIT
"""What goes wrong through no fault of the model."""


class MisconfigurationException(Exception):
    """Trainer, module, data and callbacks do not fit together."""


class UnknownFlag(MisconfigurationException, TypeError):
    """An argument that Trainer does not have."""


class ExitGracefullyException(Exception):
    """A callback or a signal ends the training after the running batch."""


class CheckpointError(MisconfigurationException, RuntimeError):
    """A file that is not a checkpoint, is damaged, or is of another model."""
