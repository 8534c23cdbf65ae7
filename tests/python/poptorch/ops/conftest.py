# SPDX-License-Identifier: MIT
"""Every test gets the same numbers, whichever other tests run in its process."""
import harness
import pytest


@pytest.fixture(autouse=True)
def same_numbers():
    harness.begin()
