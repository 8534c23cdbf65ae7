# SPDX-License-Identifier: MIT
"""Checkpoints: .npz files of a folder, the newest one named in `checkpoint`; those of an estimator are model.ckpt-<step>."""
import os
import re

import numpy as np
from popart import _files

from tensorflow.framework.arrays import save_arrays


def save(folder, step, variables, keep):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"model.ckpt-{step}")
    save_arrays(path + ".npz", {v.name.replace("/", "|"): v.numpy() for v in variables})
    name_newest(path)
    for old in _steps(folder)[:-keep] if keep else ():
        os.remove(os.path.join(folder, f"model.ckpt-{old}.npz"))
    return path


def name_newest(path, name=None):
    """The file `checkpoint` beside it, which latest() reads."""
    with _files.writing(os.path.join(os.path.dirname(path), name or "checkpoint"), encoding="utf-8") as file:
        file.write(f'model_checkpoint_path: "{os.path.basename(path)}"\n')


def _steps(folder):
    found = [re.fullmatch(r"model\.ckpt-(\d+)\.npz", name) for name in os.listdir(folder)]
    return sorted(int(m[1]) for m in found if m)


def latest(folder, name=None):
    """The newest checkpoint, without .npz; None if there is none."""
    named = os.path.join(folder, name or "checkpoint")
    if not os.path.exists(named):
        return None
    with open(named, encoding="utf-8") as file:
        found = re.search(r'model_checkpoint_path: "(.+)"', file.read())
    path = found and os.path.join(folder, found[1])
    return path if path and os.path.exists(path + ".npz") else None


def values(path):
    """{name of a variable: its values}"""
    with np.load(path + ".npz", allow_pickle=False) as file:
        return {name.replace("|", "/"): file[name] for name in file.files}


def restore(path, variables, required=True):
    """Variables get the values of a checkpoint."""
    known = values(path)
    for variable in variables:
        if variable.name in known and known[variable.name].shape == tuple(variable.shape):
            variable.set(known[variable.name])
            variable.initialized = True
        elif required:
            raise ValueError(f"The checkpoint {path} has no variable {variable.name} of shape {variable.shape}: it is of "
                             "another model.")
