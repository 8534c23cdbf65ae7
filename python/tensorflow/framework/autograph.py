# SPDX-License-Identifier: MIT
"""Loops and conditions on tensors in functions that are traced."""


def converted(function):
    return function
