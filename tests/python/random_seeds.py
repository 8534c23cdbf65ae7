# SPDX-License-Identifier: MIT
"""The seeds of tests that make up what they test. OPENIPU_SWEEP_SEEDS=100 tries so many, 7000:100 those from 7000; without it
there are `few`, other ones each time. A failure names its seed."""
import os


def seeds(few):
    told = os.environ.get("OPENIPU_SWEEP_SEEDS", str(few)).split(":")
    first = int(told[0]) if len(told) > 1 else int.from_bytes(os.urandom(3), "big")
    return range(first, first + int(told[-1]))


def repeat(seed):
    """What to say of a failure."""
    return f"seed {seed}: OPENIPU_SWEEP_SEEDS={seed}:1 does it again"
