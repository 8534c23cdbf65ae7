# SPDX-License-Identifier: MIT
"""Batches for models: the DataLoader, and processes that load while the program runs."""
