# SPDX-License-Identifier: MIT
"""What configure_optimizers returns, in all its forms."""
import torch

from pi_ml.hyperparameters import AttributeDict
from pi_ml.utilities.exceptions import MisconfigurationException

_forms = ("Output of `configure_optimizers` is not recognized: {}. It may be an optimizer; a list of one; ([optimizer], "
          "[schedulers]); or a dict with the key \"optimizer\", and \"lr_scheduler\" if there is one.")
_keys = {"scheduler", "interval", "frequency", "reduce_on_plateau", "monitor", "strict", "name", "opt_idx"}


def configured(answer, module):
    """([optimizer], [scheduler configurations])."""
    if answer is None:
        raise MisconfigurationException("`configure_optimizers` returned None: fit needs an optimizer.")
    optimizers, schedulers = _parts(answer)
    for optimizer in optimizers:
        if not isinstance(optimizer, torch.optim.Optimizer):
            raise MisconfigurationException(_forms.format(type(optimizer).__name__))
    if len(optimizers) > 1:
        raise MisconfigurationException(f"IPUs currently only support one optimizer. `configure_optimizers` returned "
                                        f"{len(optimizers)}; this trainer steps one, on the CPU too. Put the parameters into "
                                        "groups of one optimizer instead.")
    return optimizers, [_config(scheduler) for scheduler in schedulers]


def _parts(answer):
    if isinstance(answer, torch.optim.Optimizer):
        return [answer], []
    if isinstance(answer, dict):
        return _of_dict(answer)
    if isinstance(answer, (list, tuple)) and answer:
        if len(answer) == 2 and isinstance(answer[0], list) and isinstance(answer[1], (list, dict)):
            return answer[0], answer[1] if isinstance(answer[1], list) else [answer[1]]
        if all(isinstance(part, dict) for part in answer):
            parts = [_of_dict(part) for part in answer]
            return [o for found, _ in parts for o in found], [s for _, found in parts for s in found]
        return list(answer), []
    raise MisconfigurationException(_forms.format(type(answer).__name__))


def _of_dict(answer):
    if "optimizer" not in answer:
        raise MisconfigurationException(_forms.format("a dict without \"optimizer\""))
    scheduler = answer.get("lr_scheduler")
    if scheduler is None:
        return [answer["optimizer"]], []
    if not isinstance(scheduler, dict):
        scheduler = {"scheduler": scheduler, **({"monitor": answer["monitor"]} if "monitor" in answer else {})}
    return [answer["optimizer"]], [scheduler]


def _config(scheduler):
    given = dict(scheduler) if isinstance(scheduler, dict) else {"scheduler": scheduler}
    unknown = set(given) - _keys
    if unknown or "scheduler" not in given:
        raise MisconfigurationException(f"The lr scheduler dict must have the key \"scheduler\", and may have "
                                        f"{', '.join(sorted(_keys - {'scheduler'}))}; it has {', '.join(map(str, given))}.")
    plateau = isinstance(given["scheduler"], torch.optim.lr_scheduler.ReduceLROnPlateau)
    out = {"interval": "epoch", "frequency": 1, "reduce_on_plateau": plateau, "monitor": None, "strict": True, "name": None,
           **given}
    if out["interval"] not in ("epoch", "step"):
        raise MisconfigurationException(f"The \"interval\" key in lr scheduler dict must be \"step\" or \"epoch\" but is "
                                        f"\"{out['interval']}\".")
    if out["reduce_on_plateau"] and out["monitor"] is None:
        raise MisconfigurationException("The lr scheduler dict must include a monitor when a `ReduceLROnPlateau` scheduler is "
                                        "used. For example: {\"optimizer\": optimizer, \"lr_scheduler\": scheduler, "
                                        "\"monitor\": \"your_loss\"}.")
    return AttributeDict(out)
