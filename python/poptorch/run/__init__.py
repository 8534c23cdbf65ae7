# SPDX-License-Identifier: MIT
"""A model on a device: wrappers, the executor and its parts."""
