# SPDX-License-Identifier: MIT
"""Operators of torch that are made of others first, and shapes of those that torch does not compute."""
