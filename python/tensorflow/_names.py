# SPDX-License-Identifier: MIT
"""Namespaces: what a module shows, and an error for what it does not have that says where the list is."""
import importlib
import importlib.util
import pkgutil
import types

from popart import _spelling

from tensorflow._insides import INSIDES

LIST = "docs/tensorflow.md of OpenIPU lists what there is"


def export(namespace, module, names):
    for name in names:
        namespace[name] = getattr(module, name)


def families(namespace):
    """Of a package with one family a file: shows what the files' __all__ have, and gives these names."""
    found = []
    for file in sorted(pkgutil.iter_modules(namespace["__path__"]), key=lambda f: f.name):
        module = importlib.import_module(f"{namespace['__name__']}.{file.name}")
        export(namespace, module, getattr(module, "__all__", ()))
        found += getattr(module, "__all__", ())
    return found


def lazy(namespace, modules):
    """__getattr__ for a module: `modules` (name -> module, or module:attribute) are imported when they are first used."""
    own = namespace["__name__"]

    def __getattr__(name):
        if name in modules:
            path, _, attribute = modules[name].partition(":")
            value = importlib.import_module(path)
            value = getattr(value, attribute) if attribute else value
            if isinstance(value, types.ModuleType) and "__getattr__" not in value.__dict__:
                explain_missing(value.__dict__)
            namespace[name] = value
            return value
        if "__path__" in namespace and not name.startswith("__") and importlib.util.find_spec(f"{own}.{name}"):
            if name in INSIDES.get(own, ()):  # parts of its insides are its attributes, too: keras.optimizer_v2
                return importlib.import_module(f"{own}.{name}")
            raise _Asked(own, name)  # `from package import module` asks first
        raise missing(own.replace("._shown", ""), name, [*namespace, *modules])

    def __dir__():
        return sorted({*namespace, *modules})

    namespace["__lazy__"] = sorted(modules)
    namespace["__getattr__"], namespace["__dir__"] = __getattr__, __dir__


class _Asked(AttributeError):
    """Looks for the public name only if somebody reads this."""

    def __str__(self):
        return str(missing(*self.args))


def explain_missing(namespace):
    """For a module that imports all its names at once: one that it does not have is an error that says where there is one."""
    lazy(namespace, {})


# Where a name is looked for that a module does not have, the likeliest first.
_PUBLIC = ["tensorflow", *(f"tensorflow.{name}" for name in (
    "nn", "math", "random", "linalg", "image", "data", "keras", "keras.layers", "keras.optimizers", "keras.losses",
    "keras.metrics", "keras.initializers", "keras.utils", "keras.callbacks", "compat.v1", "compat.v1.train", "compat.v1.nn",
    "compat.v1.layers", "compat.v1.losses", "keras.ipu", "keras.ipu.layers", "python.ipu", "python.ipu.config",
    "python.ipu.utils", "python.ipu.optimizers"))]


def _elsewhere(name):
    """The public path of a name, or None."""
    for path in _PUBLIC if len(name) > 1 and not name.startswith("_") else ():
        if name in dir(importlib.import_module(path)):
            return f"{path}.{name}"
    return None


# Names of older releases -> what there is instead.
_OLD = {"contrib": "tf.keras.layers, tf.data and tf.compat.v1.layers have what was there",
        **dict.fromkeys(("create_ipu_config", "auto_select_ipus", "select_ipus", "set_compilation_options",
                         "set_ipu_model_options"),
                        "set attributes of ipu.config.IPUConfig() and call its configure_ipu_system()"),
        **dict.fromkeys(("PipelineModel", "PipelineSequential"),
                        "make a tf.keras.Model in a strategy's scope and call its set_pipelining_options"),
        "autoshard": "ipu.scopes.ipu_shard says where operations are",
        **dict.fromkeys(("rnn_ops", "PopnnLSTM", "PopnnGRU"), "ipu_tensorflow_addons.v1.layers and "
                        "ipu_tensorflow_addons.keras.layers have PopnnLSTM and PopnnGRU"),
        "f8_ops": "use float16",
        "ipu_multi_worker_strategy": "ipu.distributed.popdist_strategy.PopDistStrategy trains in processes that poprun starts",
        **dict.fromkeys(("learned_unigram_candidate_sampler", "fixed_unigram_candidate_sampler"),
                        "use tf.random.uniform_candidate_sampler or log_uniform_candidate_sampler")}


def instead(name):
    """What there is instead of a name of older releases; nothing if it is none."""
    return f" Instead, {_OLD[name]}." if name in _OLD else ""


def missing(module, name, there=()):
    public = None if name in _OLD else _elsewhere(name)
    if name in _OLD:
        hint = instead(name)
    elif public is not None and public.rpartition(".")[0] != module:
        hint = f" There is {public}."
    else:
        hint = _spelling.hint(name, (n for n in there if not n.startswith("_")), "'{}'")
    return AttributeError(f"module '{module}' has no attribute '{name}': OpenIPU's TensorFlow does not have it; {LIST}."
                          + hint)
