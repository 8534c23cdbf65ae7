# SPDX-License-Identifier: MIT
"""TensorFlow's functions, one family a file. Each says what it is by the names of TensorFlow's operations, and `apply`
records or computes them. `names` of a file: what `tf` shows of it."""
