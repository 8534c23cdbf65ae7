# SPDX-License-Identifier: MIT
"""Private names of torch stand in one file of a package, which says which versions have them; poptorch's refuses older
ones."""
import ast
import os
import pathlib
import subprocess
import sys

import pi_ml
import poptorch
import pytest


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def chain(node):
    """a.b.c as names; empty for what does not begin with a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def found_in(text):
    """Private names of torch in a source, with their lines."""
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [[*node.module.split("."), alias.name] for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names = [chain(node)]
        for parts in names:
            if parts and parts[0] == "torch" and any(map(is_private, parts)) and "ops" not in parts:
                yield node.lineno, ".".join(parts)


def test_they_are_found():
    text = "import torch._dynamo\nfrom torch.utils import _pytree\nx = torch._C._f()\ny = torch.ops.aten._softmax\n"
    assert sorted(found_in(text)) == [(1, "torch._dynamo"), (2, "torch.utils._pytree"), (3, "torch._C"), (3, "torch._C._f")]


@pytest.mark.parametrize("package, compat", [(poptorch, "base/compat.py"), (pi_ml, "compat.py")])
def test_they_stand_in_one_file(package, compat):
    folder = pathlib.Path(package.__file__).parent
    assert list(found_in((folder / compat).read_text()))
    files = [file for file in sorted(folder.rglob("*.py")) if file.resolve() != (folder / compat).resolve()]
    wrong = [f"{file}:{line}: {name}" for file in files for line, name in found_in(file.read_text())]
    assert not wrong, f"Give these a name in {compat}, with the versions that have them:\n" + "\n".join(wrong)


def test_a_torch_that_is_too_old(tmp_path):
    """One that has nothing of what later ones have."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("__version__ = '1.12.1+cpu'\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run([sys.executable, "-c", "import poptorch"], capture_output=True, text=True,
                         env=dict(os.environ, PYTHONPATH=path))
    assert run.stderr.splitlines()[-1] == (
        "ImportError: poptorch needs torch 1.13 or later; this Python has torch 1.12.1+cpu. Install a newer one with "
        "pip install --upgrade torch.")
