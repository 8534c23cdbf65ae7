# SPDX-License-Identifier: MIT
"""Saving and loading of weights and models."""


class Saving:
    pass
