# SPDX-License-Identifier: MIT
"""The version of the vendor's interface that this package follows."""

__version__ = "3.3.0"


def versionString():
    return __version__


def versionNumber():
    return tuple(int(part) for part in __version__.split("."))


def packageHash():
    return "openipu"
