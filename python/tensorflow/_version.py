# SPDX-License-Identifier: MIT
"""This is OpenIPU's own implementation of TensorFlow's interface, on simulated IPUs."""
VERSION = "2.6.3+openipu"
