# SPDX-License-Identifier: MIT
"""The user's module: how it is wrapped, and its tensors while a device has newer values."""
