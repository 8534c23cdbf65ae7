# SPDX-License-Identifier: MIT
"""The version of the vendor's interface that this package follows."""

__version__ = "3.3.0"


def versionString() -> str:
    """The version, as text."""
    return __version__


def versionNumber() -> "tuple[int, ...]":
    """The version, as three numbers."""
    return tuple(int(part) for part in __version__.split("."))


def packageHash() -> str:
    """What was built."""
    return "openipu"
