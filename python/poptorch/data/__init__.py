# SPDX-License-Identifier: MIT
"""Batches for models: the DataLoader, and processes that load beside the program."""
