# SPDX-License-Identifier: MIT
"""Layers, models, and how models are trained and run."""
