# SPDX-License-Identifier: MIT
"""Paddle's IPU document, step by step, as its reader types it."""
import glob
import os
import re
import sys

import pytest
from commands import SOURCE, run

pytest.importorskip("paddle.paddle_core")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A virtual environment, and the wheel of the build."""
    pytest.importorskip("ensurepip")
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", "--system-site-packages", str(folder))
    import paddle
    wheels = glob.glob(os.path.join(os.path.dirname(paddle.__file__), "../dist/paddlepaddle_ipu-*.whl"))
    return str(folder / "bin"), wheels


def test_installs_the_wheel_that_was_built(site):
    """S-80"""
    binaries, wheels = site
    assert [os.path.basename(w) for w in wheels] == ["paddlepaddle_ipu-0.0.0-py3-none-linux_x86_64.whl"]
    run(f"{binaries}/python3", "-m", "pip", "install", "-U", "--no-index", "--no-deps", wheels[0])


def test_sees_the_package_in_pip_list(site):
    """S-77"""
    assert re.search(r"^paddlepaddle-ipu +0\.0\.0$", run(f"{site[0]}/pip", "list").stdout, re.M)
    assert "OpenIPU" in run(f"{site[0]}/pip", "show", "-v", "paddlepaddle-ipu").stdout


def test_uninstalls_the_package(site):
    """S-85"""
    out = run(f"{site[0]}/python3", "-m", "pip", "uninstall", "-y", "paddlepaddle-ipu").stdout
    assert "Successfully uninstalled paddlepaddle-ipu" in out
    assert "paddlepaddle" not in run(f"{site[0]}/pip", "list").stdout


def test_checks_the_installation():
    """S-78"""
    out = run(sys.executable, "-c", "import paddle; paddle.utils.run_check()")
    assert out.stdout == ("Running verify PaddlePaddle program ... \nPaddlePaddle works well on 1 CPU.\n"
                          "PaddlePaddle works well on 2 CPUs.\nPaddlePaddle is installed successfully! Let's start deep "
                          "learning with PaddlePaddle now.\n")


def test_reads_which_platforms_are_supported():
    """S-86"""
    with open(f"{SOURCE}/docs/paddle.md") as page:
        row = re.search(r"^\| GC200, simulated \|.*Debian 12.*\|$", page.read(), re.M)
    assert row


def test_follows_the_links(tmp_path):
    """S-87"""
    examples = f"{SOURCE}/examples/paddle"
    run(sys.executable, f"{examples}/bert_pretraining.py", "--check", OPENIPU_NUM_IPUS="2")
    out = run(sys.executable, f"{examples}/resnet50_infer.py", "--size", "64", "--runs", "1").stdout
    assert "apart from the CPU's scores" in out
