# SPDX-License-Identifier: MIT
"""Everything public called with wrong things, in a process of its own, where a crash is a failure.
OPENIPU_SWEEP_SEEDS=100 tries more seeds, 7000:100 those from 7000."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST, COUNT = ([0] + [int(n) for n in os.environ.get("OPENIPU_SWEEP_SEEDS", "2").split(":")])[-2:]


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_wrong_calls_end_in_exceptions(seed, tmp_path):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    environment = dict(os.environ, PYTHONPATH=HERE + os.pathsep + os.environ["PYTHONPATH"], PYTHONFAULTHANDLER="1")
    done = subprocess.run([sys.executable, os.path.join(HERE, "sweep.py"), str(seed), "1"], cwd=folder, env=environment,
                          capture_output=True, text=True, errors="replace", timeout=120)
    last = (folder / "last").read_text(errors="replace") if (folder / "last").exists() else ""
    assert done.returncode == 0, f"the last call was {last}\n{done.stderr[-4000:]}"
