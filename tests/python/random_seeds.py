# SPDX-License-Identifier: MIT
"""The seeds of tests that make up what they test. OPENIPU_SWEEP_SEEDS=100 tries so many, 7000:100 those from 7000; without it
there are `few`, other ones each time. A failure names its seed."""
import os


def seeds(few):
    told = os.environ.get("OPENIPU_SWEEP_SEEDS", str(few)).split(":")
    first = int(told[0]) if len(told) > 1 else int.from_bytes(os.urandom(3), "big")
    return range(first, first + int(told[-1]))


def check_thrice(seed, made, wrong):
    """wrong() says what is wrong with what the seed made, on other data each time; a failure unless it is right once of three
    times."""
    said = [wrong()]
    while said[-1] and len(said) < 3:
        said.append(wrong())
    assert not said[-1], f"seed {seed}: OPENIPU_SWEEP_SEEDS={seed}:1 does it again\n{made}\n" + "\n".join(said)
