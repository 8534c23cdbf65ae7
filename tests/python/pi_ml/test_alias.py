# SPDX-License-Identifier: MIT
"""`import pytorch_lightning` is pi_ml where a variable asks for it and there is no Lightning."""
import importlib.metadata
import os
import subprocess
import sys

import pytest

pytest.importorskip("poptorch")


def python(code, **variables):
    environment = {k: v for k, v in os.environ.items() if k != "OPENIPU_PYTORCH_LIGHTNING"}
    return subprocess.run([sys.executable, "-c", code], env={**environment, **variables}, capture_output=True, text=True)


IMPORTS = """
import pytorch_lightning as pl, pi_ml
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.core.lightning import LightningModule
from pytorch_lightning.strategies.ipu import IPUStrategy
from pytorch_lightning.trainer.states import RunningStage
from pytorch_lightning.utilities.seed import seed_everything
from pytorch_lightning.utilities import _IPU_AVAILABLE
from pytorch_lightning.utilities.types import EPOCH_OUTPUT, STEP_OUTPUT
import pytorch_lightning.loggers
assert _IPU_AVAILABLE is True and pytorch_lightning.utilities.imports._POPTORCH_AVAILABLE
assert pl is pi_ml and Callback is pi_ml.Callback and LightningModule is pi_ml.LightningModule
assert IPUStrategy is pi_ml.strategies.IPUStrategy and pi_ml.callbacks.__spec__.name == "pi_ml.callbacks"
try:
    import pytorch_lightning.profilers
except ModuleNotFoundError as problem:
    print(problem)
"""


def real():
    try:
        return importlib.metadata.version("pytorch_lightning")
    except importlib.metadata.PackageNotFoundError:
        return None


@pytest.mark.skipif(real() is not None, reason="a real Lightning is installed, which wins")
def test_lightnings_name_is_served_if_a_variable_asks_for_it():
    done = python(IMPORTS, OPENIPU_PYTORCH_LIGHTNING="1")
    assert done.returncode == 0 and "pytorch_lightning.profilers" in done.stdout, done.stderr
    for variables in ({}, {"OPENIPU_PYTORCH_LIGHTNING": "0"}):
        done = python("import pytorch_lightning", **variables)
        assert done.returncode and "OPENIPU_PYTORCH_LIGHTNING=1" in done.stderr


def test_a_real_lightning_wins(tmp_path):
    (tmp_path / "pytorch_lightning").mkdir()
    (tmp_path / "pytorch_lightning" / "__init__.py").write_text("from pytorch_lightning.inside import WHO\n")
    (tmp_path / "pytorch_lightning" / "inside.py").write_text("WHO = 'real'\n")
    done = python("import pytorch_lightning as pl; print(pl.WHO)", OPENIPU_PYTORCH_LIGHTNING="1",
                  PYTHONPATH=os.environ["PYTHONPATH"] + os.pathsep + str(tmp_path))
    assert done.stdout.strip() == "real", done.stderr
