# SPDX-License-Identifier: MIT
"""The level of Paddle that is followed, and this package's own mark."""
full_version = "0.0.0"  # a develop build, as the IPU's documents have it
major, minor, patch, rc = "0", "0", "0", "0"
istaged = False
commit = "openipu"


def show():
    print(f"full_version: {full_version} (OpenIPU)\nfollows: 2.4.0")
