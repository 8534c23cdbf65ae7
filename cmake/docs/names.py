# SPDX-License-Identifier: MIT
"""names.py write: docs/reference/names.json, the public names of the Python packages and where each is defined.

Names are known only when the packages are imported (some are made at run time), so this needs a build on PYTHONPATH; what the
reference says of a name is read from its definition (packages.py), or, of what C++ defines, from here. A test compares the
file with the packages. {module: {name: "path:Qualified.name", or [signature, text, {member: [signature, text]}]}}; each
definition stands once, under the shortest way to it.
"""
import importlib
import inspect
import json
import os
import pathlib
import re
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import packages  # noqa: E402

root = pathlib.Path(__file__).resolve().parents[2]
table = root / "docs/reference/names.json"
# Modules that people import, in the order in which a name is looked for.
modules = """
popart
poptorch poptorch.optim poptorch.testing poptorch.profiling
popdist popdist.poptorch popdist.popart popdist.tensorflow
pva libpvti gcipuinfo
pi_ml pi_ml.callbacks pi_ml.loggers pi_ml.strategies pi_ml.plugins pi_ml.accelerators pi_ml.utilities
tensorflow tensorflow.nn tensorflow.math tensorflow.random tensorflow.linalg tensorflow.image tensorflow.data tensorflow.errors
tensorflow.io tensorflow.nest tensorflow.config tensorflow.debugging tensorflow.distribute tensorflow.estimator
tensorflow.summary tensorflow.saved_model tensorflow.xla
tensorflow.keras tensorflow.keras.layers tensorflow.keras.losses tensorflow.keras.metrics tensorflow.keras.optimizers
tensorflow.keras.optimizers.schedules tensorflow.keras.initializers tensorflow.keras.regularizers tensorflow.keras.constraints
tensorflow.keras.activations tensorflow.keras.callbacks tensorflow.keras.datasets tensorflow.keras.utils tensorflow.keras.models
tensorflow.keras.backend tensorflow.keras.ipu tensorflow.keras.ipu.layers tensorflow.train tensorflow.test
tensorflow.python.ipu tensorflow.python.ipu.config tensorflow.python.ipu.scopes tensorflow.python.ipu.loops
tensorflow.python.ipu.utils tensorflow.python.ipu.optimizers tensorflow.python.ipu.sharding
tensorflow.python.ipu.ipu_strategy tensorflow.python.ipu.ipu_compiler tensorflow.python.ipu.ipu_infeed_queue
tensorflow.python.ipu.ipu_outfeed_queue tensorflow.python.ipu.horovod tensorflow.python.ipu.serving
tensorflow.python.ipu.embedded_runtime tensorflow.python.ipu.dataset_benchmark tensorflow.python.ipu.outlined_function_ops
tensorflow.python.ipu.distributed tensorflow.python.ipu.ops.pipelining_ops tensorflow.python.ipu.ops.embedding_ops
tensorflow.python.ipu.ops.custom_ops tensorflow.python.ipu.ops.all_to_all_op tensorflow.python.ipu.ops.math_ops
tensorflow.python.ipu.ops.nn_ops tensorflow.python.ipu.ops.image_ops tensorflow.python.ipu.ops.statistics_ops
tensorflow.python.ipu.ops.within_replica_ops tensorflow.python.ipu.ops.grad_util_ops tensorflow.python.ipu.ops.slicing_ops
tensorflow.python.ipu.ops.internal_ops
ipu_tensorflow_addons.keras.layers ipu_tensorflow_addons.keras.optimizers ipu_tensorflow_addons.v1.layers
tensorflow.compat.v1 tensorflow.compat.v1.train tensorflow.compat.v1.layers tensorflow.compat.v1.image tensorflow.compat.v1.nn
tensorflow.compat.v1.nn.rnn_cell tensorflow.compat.v1.losses tensorflow.compat.v1.metrics tensorflow.compat.v1.summary
tensorflow.compat.v1.flags
paddle paddle.static paddle.static.nn paddle.nn paddle.nn.functional paddle.nn.initializer paddle.optimizer paddle.optimizer.lr
paddle.io paddle.vision paddle.vision.datasets paddle.vision.transforms paddle.vision.models paddle.metric paddle.linalg
paddle.jit paddle.amp paddle.inference paddle.distributed paddle.device paddle.utils paddle.utils.cpp_extension
paddle.regularizer paddle.incubate paddle.callbacks
""".split()
_compiled = {"popart_core", "poptorch_core"}


def found(path):
    try:
        return importlib.import_module(path)
    except ImportError:
        owner, _, name = path.rpartition(".")
        return getattr(found(owner), name, None) if owner else None


def source(thing):
    """Where a function or class is defined, as "python/file:Qualified.name"; None if not in a file of ours."""
    if type(thing).__name__ == "pybind11_type":
        return None
    try:
        thing = inspect.unwrap(thing)
        path = pathlib.Path(os.path.realpath(inspect.getsourcefile(thing)))
    except TypeError:
        return None
    for folder in path.parents:
        if folder.name == "python" and (folder / "popart").is_dir():
            within = root / "python" / path.relative_to(folder)
            name = getattr(thing, "__qualname__", "")
            return f"{within.relative_to(root)}:{name}" if within.exists() and name in packages.definitions(within) else None
    return None


def words(thing):
    """(signature, text) of what C++ defines: pybind11 writes the signature into the docstring."""
    bare = inspect.isclass(thing) and vars(thing).get("__doc__") is None  # a base's text says nothing of this class
    text = "" if bare else inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    lines = [re.sub(r" at 0x[0-9a-f]+", "", line) for line in text.splitlines()]
    own = re.escape(getattr(thing, "__name__", "") or r"\w+") if not isinstance(thing, property) else r"\w+"
    shown = [line for line in lines if re.match(rf"(\d+\. )?{own}\(.*\)( -> .*)?$", line)]  # not a formula: "mean(x)"
    told = "\n".join(line for line in lines if line not in shown and line != "Overloaded function.").strip()
    return ["\n".join(re.sub(r"^\d+\. ", "", s) for s in shown), told]


def bound(thing):
    if not inspect.isclass(thing):
        return [*words(thing), {}]
    members = {}
    if re.fullmatch(r"AiOnnxOpset\d+", thing.__name__):  # the texts of its methods are those of ONNX
        own = ", ".join(f"`{n}`" for n in sorted(vars(thing)) if not n.startswith("_"))
        return ["", f"{words(thing)[1]}\n\nNew or changed at this version, or the first: {own}.", {}]
    for name, member in vars(thing).items():
        shown = callable(member) or isinstance(member, (property, staticmethod))
        if not shown or name.startswith("_") or name in ("name", "value") and hasattr(thing, "__members__"):
            continue
        members[name] = words(member.__func__ if isinstance(member, staticmethod) else member)
    maker = words(vars(thing)["__init__"])[0] if "__init__" in vars(thing) else ""
    return [maker.replace("__init__(", f"{thing.__name__}("), words(thing)[1], members]


def of_package(thing, package):
    """Whether a definition is ours, not torch's or numpy's."""
    home = (getattr(thing, "__module__", None) or "").split(".")[0]
    ours = {"tensorflow", "ipu_tensorflow_addons", "keras"} if package in ("tensorflow", "ipu_tensorflow_addons") else {package}
    return home in ours | _compiled


def scan():
    result, seen = {}, set()
    for path in modules:
        module = found(path)
        if module is None:
            continue
        package, names = path.split(".")[0], {}
        for name in sorted(getattr(module, "__all__", None) or dir(module)):
            if name.startswith("_"):
                continue
            try:
                thing = getattr(module, name)
            except Exception:  # refused with a reason: the page of what is supported says so
                continue
            if isinstance(thing, types.ModuleType) or not (inspect.isclass(thing) or callable(thing)) or \
                    not of_package(thing, package) or id(thing) in seen:
                continue
            seen.add(id(thing))
            where = source(thing)
            if where:
                names[name] = where
            elif inspect.isclass(thing) or inspect.isbuiltin(thing):
                names[name] = bound(thing)
            elif inspect.isfunction(thing) or callable(thing):  # made by a function, for instance for a row of a table
                names[name] = [f"{name}{inspect.signature(thing)}", inspect.getdoc(thing) or "", {}]
        result[path] = names
    return result


def text():
    return json.dumps(scan(), indent=1, sort_keys=False, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["write"]:
        sys.exit(__doc__)
    table.write_text(text())
