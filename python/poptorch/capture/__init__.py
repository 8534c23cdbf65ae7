# SPDX-License-Identifier: MIT
"""From a call of forward() to a recording: tensors without data, what torch dispatches, blocks."""
