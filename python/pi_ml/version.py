# SPDX-License-Identifier: MIT
"""The version of Lightning whose behaviour this follows, and that it is not Lightning."""
VERSION = "1.6.5+openipu"
