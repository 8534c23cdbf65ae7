# SPDX-License-Identifier: MIT
"""Modules as text, with their blocks."""
import builtins
from typing import Any

import torch

from poptorch.capture.blocks import _BlockHook


def module_repr(module: torch.nn.Module) -> str:
    """What repr() says of a module, and where blocks begin."""
    inner = [f"({name}): " + module_repr(part).replace("\n", "\n  ") for name, part in module._modules.items()
             if part is not None]
    more = [line for line in module.extra_repr().split("\n") if line]
    text = module._get_name() + "("
    if len(more) == 1 and not inner:
        text += more[0]
    elif more or inner:
        text += "\n  " + "\n  ".join(more + inner) + "\n"
    text += ")"
    blocks = [repr(hook) for hook in module._forward_pre_hooks.values() if isinstance(hook, _BlockHook)]
    return "".join(f"{block} " for block in blocks) + text


def print(*values: Any, **how: Any) -> None:  # the name is PopTorch's
    """print(), where modules show their blocks."""
    from poptorch.run.executor import PoplarExecutor  # import time: popart
    shown = [value.model if isinstance(value, PoplarExecutor) else value for value in values]
    builtins.print(*(module_repr(v) if isinstance(v, torch.nn.Module) else v for v in shown), **how)
