# SPDX-License-Identifier: MIT
"""PopTorch for the simulated IPU: train and run models of PyTorch."""
