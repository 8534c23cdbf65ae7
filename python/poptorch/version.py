# SPDX-License-Identifier: MIT
"""The version of PopTorch whose interface this is."""
VERSION = "3.3.0"
