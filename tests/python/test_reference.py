# SPDX-License-Identifier: MIT
"""docs/reference/names.json lists the public names of the packages and where each is defined."""
import json
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir)
sys.path.insert(0, os.path.join(ROOT, "cmake", "docs"))
import names  # noqa: E402


def test_the_reference_has_the_names_that_there_are():
    told, there = json.loads(names.table.read_text()), json.loads(names.text())
    wrong = [f"{module}.{name}" for module in {**told, **there} for name in {**told.get(module, {}), **there.get(module, {})}
             if told.get(module, {}).get(name) != there.get(module, {}).get(name)]
    assert not wrong, f"{wrong[:20]} differ. Write them anew: PYTHONPATH=BUILD/python python3 cmake/docs/names.py write"
    assert sum(map(len, there.values())) > 1500
