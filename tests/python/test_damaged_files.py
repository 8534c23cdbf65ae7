# SPDX-License-Identifier: MIT
"""Damaged files of every front end, read in processes of their own, where a crash or a hang is a failure.
OPENIPU_SWEEP_SEEDS=100 tries more seeds, 7000:100 those from 7000."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from damage import KINDS

FIRST, COUNT = ([0] + [int(n) for n in os.environ.get("OPENIPU_SWEEP_SEEDS", "2").split(":")])[-2:]
EACH = 8  # damaged files of a seed and kind


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_damaged_files_end_in_clear_errors(kind, tmp_path):
    environment = dict(os.environ, PYTHONPATH=HERE + os.pathsep + os.environ["PYTHONPATH"], PYTHONFAULTHANDLER="1")
    count = COUNT * EACH
    done = subprocess.run([sys.executable, os.path.join(HERE, "damage.py"), kind, str(FIRST * EACH), str(count)], cwd=tmp_path,
                          env=environment, capture_output=True, text=True, errors="replace", timeout=60 + 2 * count)
    last = (tmp_path / "last").read_text() if (tmp_path / "last").exists() else ""
    assert done.returncode == 0, f"the last one was {last}\n{done.stderr[-3000:]}"
