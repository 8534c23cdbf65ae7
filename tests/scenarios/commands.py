# SPDX-License-Identifier: MIT
"""Commands as a reader of a document types them."""
import os
import subprocess

SOURCE = os.environ.get("OPENIPU_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def run(*command, cwd=None, **environment):
    out = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env={**os.environ, **environment})
    assert out.returncode == 0, out.stderr
    return out
