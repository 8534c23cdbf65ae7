# SPDX-License-Identifier: MIT
"""Which torch, and which packages of others, the tests ran with: each file says it at its end."""
import importlib.metadata
import platform


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def pytest_terminal_summary(terminalreporter):
    import torch  # not before a test does
    others = ", ".join(f"{name} {_version(name)}" for name in ("transformers", "torch_geometric", "lightning"))
    terminalreporter.write_line(f"Python {platform.python_version()}, torch {torch.__version__}; {others}")
