# SPDX-License-Identifier: MIT
"""docs/tensorflow-names.md lists all names there are, and no others. After a change: python3 test_names.py writes it."""
import importlib
import inspect
import os
import types

MODULES = ["tensorflow", "tensorflow.nn", "tensorflow.math", "tensorflow.random", "tensorflow.linalg", "tensorflow.image",
           "tensorflow.data", "tensorflow.data.Dataset", "tensorflow.errors", "tensorflow.keras", "tensorflow.keras.layers",
           "tensorflow.keras.losses", "tensorflow.keras.metrics", "tensorflow.keras.optimizers",
           "tensorflow.keras.optimizers.schedules", "tensorflow.keras.initializers", "tensorflow.keras.regularizers",
           "tensorflow.keras.constraints", "tensorflow.keras.activations", "tensorflow.keras.callbacks",
           "tensorflow.keras.datasets", "tensorflow.keras.utils", "tensorflow.keras.models", "tensorflow.keras.ipu",
           "tensorflow.keras.Model", "tensorflow.python.ipu", "tensorflow.python.ipu.config", "tensorflow.python.ipu.scopes",
           "tensorflow.python.ipu.loops", "tensorflow.python.ipu.utils", "tensorflow.python.ipu.optimizers",
           "tensorflow.python.ipu.ops.pipelining_ops", "tensorflow.python.ipu.ops.embedding_ops",
           "tensorflow.python.ipu.ops.custom_ops", "tensorflow.python.ipu.ops.all_to_all_op",
           "tensorflow.python.ipu.ops.math_ops", "tensorflow.python.ipu.ops.nn_ops", "tensorflow.python.ipu.ops.image_ops",
           "tensorflow.python.ipu.ops.statistics_ops", "tensorflow.python.ipu.ops.within_replica_ops",
           "tensorflow.python.ipu.ops.grad_util_ops", "tensorflow.python.ipu.ops.slicing_ops",
           "tensorflow.python.ipu.ops.internal_ops", "tensorflow.python.ipu.sharding", "tensorflow.keras.ipu.layers",
           "tensorflow.python.ipu.distributed", "ipu_tensorflow_addons.keras.layers",
           "ipu_tensorflow_addons.keras.optimizers", "ipu_tensorflow_addons.v1.layers", "tensorflow.compat.v1",
           "tensorflow.compat.v1.train",
           "tensorflow.compat.v1.layers", "tensorflow.compat.v1.image", "tensorflow.compat.v1.nn.rnn_cell",
           "tensorflow.compat.v1.losses", "tensorflow.compat.v1.metrics", "tensorflow.compat.v1.summary",
           "tensorflow.estimator", "tensorflow.summary", "tensorflow.test", "tensorflow.saved_model",
           "tensorflow.train",
           "tensorflow.compat.v1.flags",
           "tensorflow.compat.v1.nn"]
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, os.pardir, "docs", "tensorflow-names.md")


def found(path):
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        owner, _, name = path.rpartition(".")
        return getattr(found(owner), name)


def names(path):
    """What a module or class shows of its own."""
    thing = found(path)
    out = []
    for name in dir(thing):
        if name.startswith("_") or name in ("absolute_import", "annotations"):  # of __future__
            continue
        value = getattr(thing, name)
        if isinstance(value, types.ModuleType) and name not in getattr(thing, "__lazy__", ()):
            continue
        made_in = getattr(value, "__module__", None) or type(value).__module__
        inside = made_in.startswith(("tensorflow.framework", "tensorflow.keras.named"))
        if inside and path not in ("tensorflow", "tensorflow.compat.v1", "tensorflow.errors", "tensorflow.test"):
            continue  # what the module uses itself
        if made_in in ("typing", "collections.abc"):
            continue  # of annotations
        if made_in == "tensorflow.keras.optimizers.rules":
            continue  # the page says it of all of them
        if inspect.isclass(thing) and name in dir(object):
            continue
        out.append(name)
    return sorted(out, key=lambda n: (n.lower(), n))


def page():
    lines = ["# Names of OpenIPU's TensorFlow", "",
             "Everything that is not here raises an error that names it. [tensorflow.md](tensorflow.md) says what the names "
             "do. Optimisers that are data (`popart.optimizerRules()`) are in `tensorflow.keras.optimizers` too.", "",
             "| where | names |", "| --- | --- |"]
    for path in MODULES:
        lines.append(f"| `{path}` | {' '.join(f'`{n}`' for n in names(path))} |")
    return "\n".join(lines) + "\n"


def test_the_page_lists_all_names():
    with open(PAGE, encoding="utf-8") as file:
        assert file.read() == page(), "run this file to write the page anew"


if __name__ == "__main__":
    with open(PAGE, "w", encoding="utf-8") as out:
        out.write(page())
